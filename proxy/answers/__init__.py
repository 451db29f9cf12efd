"""SQL that Rewright answers itself: recognising it, deciding who may, and the rows.

Pure, except that it reads the store; everything else comes through small ports
(``rewright.proxy.answers.parts``).
"""
