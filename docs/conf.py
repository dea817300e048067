"""How Sphinx builds the documentation: python -m sphinx -W -b html docs docs/_build/html."""

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

numpydoc_show_class_members = False  # the members are on the page themselves
autodoc_default_options = {"members": True, "member-order": "bysource"}
autodoc_typehints = "none"  # the docstrings say it in words

html_theme = "furo"
html_title = "boxwise"
html_static_path = ["_static"]
html_css_files = ["boxwise.css"]
html_show_sourcelink = False
