"""Inquiries: why, why not, and what would have changed it."""
