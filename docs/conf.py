"""The documents as a site (`make docs`): Sphinx reading Markdown; a link that leads
nowhere fails the build.
"""

project = "Rewright"
extensions = ["myst_parser"]
source_suffix = {".md": "markdown"}
html_theme = "furo"
html_title = "Rewright"
myst_heading_anchors = 3
myst_enable_extensions = ["colon_fence"]
