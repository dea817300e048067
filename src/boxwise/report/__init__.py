"""A model as one page for a browser: what it learned, how good it is, and why it decides."""

from boxwise.report.writing import report_html, write_report

__all__ = ["report_html", "write_report"]
