"""A pair the one way round, and the other: most laws are asked both ways by the prover itself, so that a run takes
one in six of the pairs the other way round (`tests.fixtures.sampling`).
"""

from __future__ import annotations

import pytest

TURNED = [False, pytest.param(True, marks=pytest.mark.sampled(6))]
