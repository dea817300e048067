"""Progress bars of the commands."""
