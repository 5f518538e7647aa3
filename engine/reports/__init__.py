"""Reports: a decision laid out for people, as text, Markdown or a page."""
