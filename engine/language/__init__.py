"""Second floor: the expression language of rules. Text <-> tree, checking against a scope, compiling to Python functions."""
