"""Other forms in which a pair of queries may be seen before it is read, each stated once more: trees before
and after, and the side conditions between.

A certificate says by name which forms were taken, in their order; what they give is made here and nowhere
stated. A form that cannot be shown to mean the same is not taken.
"""
