"""Changes of a row that would change its decision."""
