"""Third floor: documents, vocabulary, catalogues, rules, and the rulebook that holds them together."""
