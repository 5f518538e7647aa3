"""The report as one HTML page that needs nothing else: no network, no script to be read, and nothing that users wrote is markup."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterable
from functools import lru_cache
from importlib import resources
from typing import Any

from jinja2 import Environment, FunctionLoader, StrictUndefined
from jinja2.sandbox import SandboxedEnvironment
from markupsafe import Markup

from gpurules.engine.decisions.decision import Document
from gpurules.engine.reports.blocks import Section
from gpurules.engine.reports.charts import StackReader
from gpurules.engine.reports.configurations_section import ConfigurationsReader
from gpurules.engine.reports.cost_charts import CostChartReader
from gpurules.engine.reports.grounds import GroundsReader
from gpurules.engine.reports.page_phrases import phrase
from gpurules.engine.reports.reader import Reader
from gpurules.engine.reports.references import References
from gpurules.engine.reports.report import report
from gpurules.engine.reports.sensitivity_phrases import phrase as sensitivity_phrase
from gpurules.engine.reports.sensitivity_section import SensitivityReader
from gpurules.engine.reports.sources_section import SourcesReader
from gpurules.engine.values.problem import printable

_LANGUAGES = {"en": "en", "zh": "zh-Hans"}
_LONGEST = 20_000
"""Characters of the longest text that a page shows."""
_BEFORE_FACTS = "facts"
_OWN = ("sources", "trace")
"""Sections that the page lays out in its own way."""


def html(decision: Document, language: str = "en", sensitivity: Document | None = None) -> str:
    """A decision's report as one self-contained HTML document, the same bytes for the same decision; with the answer to
    `gpurules sensitivity`, where it is given."""
    moved = SensitivityReader(sensitivity, language) if sensitivity is not None else None
    sections = _sections(decision, language, moved)
    grounds = GroundsReader(decision, language)
    findings, figures = grounds.findings(), grounds.further_figures()
    rooms = moved.rooms() if moved is not None else None
    rules = grounds.further_rules(_named((*sections, rooms)))
    references = References(decision, language, grounds.opened)
    environment = _environment()
    style, script = (Markup(_read(name)) for name in ("page.css.jinja", "page.js.jinja"))  # both are ours, and hold nothing of a decision
    return environment.get_template("page.html.jinja").render(
        language=language,
        lang=_LANGUAGES[language],
        say=lambda key, **values: phrase(key, language, **values),
        decision=decision,
        status="steps" if Reader(decision, language).steps_suffice() else decision["status"],
        sections=[{"key": s.key, "title": s.title, "blocks": [(type(b).__name__, b) for b in s.blocks]} for s in sections],
        stacks=StackReader(decision, language).stacks(),
        lines=CostChartReader(decision, language).lines(),
        tornado=CostChartReader(decision, language).tornado(),
        rooms=rooms,
        tell=lambda key, **values: sensitivity_phrase(key, language, **values),
        findings=findings,
        figures=figures,
        rules=rules,
        sources=SourcesReader(decision, language).by_document(),
        cited=references.cited,
        refs=references.listed,
        style=style,
        script=script,
        style_digest=_digest(style),
        script_digest=_digest(script),
    )


def _sections(decision: Document, language: str, moved: SensitivityReader | None) -> list[Section]:
    """The report's sections, machines side by side where there are several, and sensitivity and the derivation before the facts."""
    found = {section.key: section for section in report(decision, language)}
    compared = ConfigurationsReader(decision, language).side_by_side()
    made: list[Section] = []
    for key, section in found.items():
        if key == _BEFORE_FACTS:
            made += _moved(moved) if moved is not None else []
            made.append(Section("grounds", phrase("grounds", language), ()))
        if key == "compare" and compared:
            continue
        made.append(section)
        if key == "machines" and compared:
            made.append(Section("compare", phrase("compare", language), tuple(compared)))
    return made


def _moved(moved: SensitivityReader) -> list[Section]:
    """Sensitivity: what leads the picture, and what follows it."""
    told = moved.section()
    blocks = (*told.blocks[:1], *moved.lead(), *moved.rest(fold=True))
    return [Section(told.key, told.title, blocks), moved.conflicts()]


def _named(sections: Iterable[object]) -> set[str]:
    """Whatever looks like a rule's id anywhere in the report."""
    return set(re.findall(r"\b[A-Z]{3}-\d{3}\b", repr(sections)))


def _digest(text: str) -> str:
    """A digest as content security policies write it."""
    return base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode("ascii")


@lru_cache(maxsize=1)
def _environment() -> Environment:
    environment = SandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, autoescape=True, undefined=StrictUndefined, finalize=shown, loader=FunctionLoader(_read)
    )
    environment.filters["lines"] = lambda text: str(text).splitlines()
    return environment


def _read(name: str) -> str:
    return resources.files("gpurules.engine.reports").joinpath("templates", name).read_text("utf-8")


def shown(value: Any) -> Any:
    """What a page shows of a value: of a text, control and bidirectional characters as escapes. Markup of our own stays."""
    if isinstance(value, Markup) or not isinstance(value, str):
        return value
    return printable(value, _LONGEST)
