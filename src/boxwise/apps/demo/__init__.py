"""The screen of ``boxwise demo``."""
