"""The figures of the report; matplotlib is imported by canvas.py, and only when one is drawn."""
