"""The commands, one per file; `boxwise.apps.cli` puts them together."""
