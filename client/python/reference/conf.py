# SPDX-License-Identifier: Apache-2.0
"""Sphinx's configuration of the reference of the Python package (build.sh)."""

project = "clearance"
extensions = ["sphinx.ext.autodoc", "sphinx.ext.napoleon"]
exclude_patterns = ["modules/clearance.rst"]  # its names are those of the modules
autodoc_typehints = "none"
autodoc_member_order = "groupwise"
autodoc_preserve_defaults = True
# Methods of bases too, except of those that Python has.
autodoc_default_options = {"inherited-members": "object, Exception, IntEnum, IntFlag, OSError, Warning"}
napoleon_google_docstring = False
napoleon_use_ivar = True
default_role = "code"
suppress_warnings = ["ref.python"]  # threads and asyncio have classes of the same name
html_theme = "alabaster"
