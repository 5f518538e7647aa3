"""Sensitivity: how far each figure of the rulebook can move before the verdict is another."""
