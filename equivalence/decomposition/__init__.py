"""Proofs of pairs out of proofs of what differs in them (docs/trusted.md)."""
