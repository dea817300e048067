"""Tests of whether one method is better than another over several data sets."""
