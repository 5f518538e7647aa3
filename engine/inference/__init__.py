"""Fourth floor: from given facts to outcomes. Facts with origin, the agenda, candidates, and the scalar back end."""
