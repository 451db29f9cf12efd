"""The laws by which a bag is the same as another, each stated once more: the bag before, the bag after, and
what must hold.

A law gives every instance that its bindings allow. It asks nothing itself: what it needs are conditions,
which `stating` lists and a `rewright.equivalence.recheck.judging.Judge` decides.
"""
