"""The report as Markdown, for pull requests and wikis, through one sandboxed template."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from importlib import resources

from jinja2 import Template
from jinja2.sandbox import SandboxedEnvironment

from gpurules.engine.decisions.decision import Document
from gpurules.engine.reports.blocks import Section
from gpurules.engine.reports.report import report
from gpurules.engine.values.problem import printable

_ESCAPED = str.maketrans({c: f"\\{c}" for c in "\\`*_{}[]<>|#&~$"})
_LINKED = re.compile(r"(?<=:)//|(?<=www)\.", re.IGNORECASE)
_STARTS = re.compile(r"(\d{1,9})([.)])(?=\s|$)|[-+=](?=[-+=\s]|$)")
_LONGEST = 20_000
"""Characters of the longest text that is shown."""


def markdown(decision: Document, language: str = "en") -> str:
    """A decision's report as Markdown; whatever users wrote stays text."""
    return written(report(decision, language))


def written(sections: Iterable[Section]) -> str:
    """Sections as Markdown."""
    return _template().render(sections=[{"title": s.title, "blocks": [(type(b).__name__, b) for b in s.blocks]} for s in sections])


@lru_cache(maxsize=1)
def _template() -> Template:
    environment = SandboxedEnvironment(trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True, autoescape=False)
    environment.filters |= {"md": escaped, "linked": linked, "code": code}
    source = resources.files("gpurules.engine.reports").joinpath("report.md.jinja").read_text("utf-8")
    return environment.from_string(source)


def escaped(text: str) -> str:
    """Text in which nothing is Markdown, HTML or a link, on one line: neither where it stands nor at the start of one. What could steer
    a terminal or reverse a line is told as escapes."""
    plain = printable(" ".join(text.split()), _LONGEST)
    start = _STARTS.match(plain)
    safe = _LINKED.sub(lambda found: f"\\{found[0]}", plain.translate(_ESCAPED))
    if start is None:
        return safe
    at = len(start[1] or "")
    return f"{safe[:at]}\\{safe[at:]}"


def linked(text: str) -> str:
    """An address of the web as a link; any other text as text."""
    return f"<{text}>" if re.fullmatch(r"https?://[!#$%&'()*+,./0-9:;=?@A-Z_a-z~\[\]-]+", text) else escaped(text)


def code(text: str) -> str:
    """A text as code, on one line."""
    return f"`{printable(' '.join(text.split()), _LONGEST).replace('`', chr(39))}`"
