"""Glances: one look at many places of facts or figures at once, and the decision that holds at all of them."""
