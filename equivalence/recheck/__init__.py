"""Checking a proof's certificate without the search that found the proof.

Owns laws, entailment, counting and comparison of forms, each stated apart from the prover's. Shares with it
how queries and schemas are read (`translate`, `prepare`, `schema`) and how terms are made (`terms`, `build`,
`bags`); must not import what searches or decides there.
"""
