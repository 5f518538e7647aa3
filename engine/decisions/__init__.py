"""Decisions: what came of an evaluation, written down as plain data."""
