"""Boxes drawn column by column."""
