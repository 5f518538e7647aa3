"""Top floor: what an evaluation says. The decision document, what to measure next, the cases of rules, the report."""
