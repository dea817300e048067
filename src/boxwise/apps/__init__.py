"""Programs to run: they use the library, and nothing in the library uses them."""
