"""SQL that Rewright answers itself: recognising it, deciding who may, and the rows.

Pure but for the store that it reads; the rest comes through small ports (``rewright.proxy.answers.parts``).
"""
