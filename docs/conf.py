"""How Sphinx builds the documentation: python -m sphinx -W -b html docs docs/_build/html."""

import re

import boxwise

project = "boxwise"
author = "The boxwise developers"
project_copyright = "The boxwise developers"
version = release = boxwise.__version__

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
]
exclude_patterns = ["_build"]
myst_heading_anchors = 3
myst_enable_extensions = ["deflist"]

# Not among the requirements of the documentation.
autodoc_mock_imports = ["mlflow", "pyspark"]
numpydoc_show_class_members = False  # the members are on the page themselves
autodoc_default_options = {"members": True, "member-order": "bysource"}
autodoc_typehints = "none"  # the docstrings say it in words

html_theme = "furo"
html_title = "boxwise"
html_static_path = ["_static"]
html_css_files = ["boxwise.css"]
html_show_sourcelink = False


def skip_request_methods(app, what, name, obj, skip, options):
    """Leave out what scikit-learn adds for metadata routing: its text refers to its own pages."""
    return True if name.startswith("set_") and name.endswith("_request") else None


def close_examples(app, docname, source):
    """Drop the blank line that ends the output of an example: doctest needs it, a page does not."""
    source[0] = re.sub(r"\n\n```$", "\n```", source[0], flags=re.MULTILINE)


def setup(app):
    """Called by Sphinx."""
    app.connect("autodoc-skip-member", skip_request_methods)
    app.connect("source-read", close_examples)
