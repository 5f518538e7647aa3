"""The report as Markdown, for pull requests and wikis, through one sandboxed template."""

from __future__ import annotations

from functools import lru_cache
from importlib import resources

from jinja2 import Template
from jinja2.sandbox import SandboxedEnvironment

from gpurules.engine.decisions.decision import Document
from gpurules.engine.reports.report import report

_ESCAPED = str.maketrans({c: f"\\{c}" for c in "\\`*_{}[]<>|#"})


def markdown(decision: Document, language: str = "en") -> str:
    """A decision's report as Markdown; whatever users wrote stays text."""
    sections = [{"title": s.title, "blocks": [(type(b).__name__, b) for b in s.blocks]} for s in report(decision, language)]
    return _template().render(sections=sections)


@lru_cache(maxsize=1)
def _template() -> Template:
    environment = SandboxedEnvironment(trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True, autoescape=False)
    environment.filters["md"] = escaped
    source = resources.files("gpurules.engine.reports").joinpath("report.md.jinja").read_text("utf-8")
    return environment.from_string(source)


def escaped(text: str) -> str:
    """Text in which nothing is Markdown or HTML, on one line."""
    return " ".join(text.translate(_ESCAPED).split())
