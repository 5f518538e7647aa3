"""Texts of rules with figures in them: `… takes {{ measured.communication_share }} of the step`.

What stands between the braces is an expression of the rule language, checked at load like a condition; nothing else runs.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from gpurules.engine.knowledge.document import Scalar
from gpurules.engine.language import syntax
from gpurules.engine.language.syntax import SyntaxFault

FORMATS = ("percent", "low", "high")
"""What may follow a bar: shown in per cent; only the low or the high end (for texts, never for conditions)."""


@dataclass(frozen=True, slots=True)
class Figure:
    """One expression inside a text, the formats asked for, and where it starts in the text."""

    tree: syntax.Node
    formats: tuple[str, ...]
    offset: int


@dataclass(frozen=True, slots=True)
class Template:
    """Pieces of text and figures, in order, and the scalar that they were written in."""

    pieces: tuple[str | Figure, ...]
    source: Scalar

    @property
    def figures(self) -> tuple[Figure, ...]:
        return tuple(p for p in self.pieces if isinstance(p, Figure))

    def read(self, text: str) -> tuple[str, ...] | None:
        """What stands for each figure in a text that was filled in from this one; None where it was not."""
        literal = (re.escape("".join(p.split())) if isinstance(p, str) else "(.+?)" for p in self.pieces)
        tight = "".join(text.split())
        found = re.fullmatch("".join(literal), tight)
        if found is None:
            return None
        places = [at for at, character in enumerate(text) if not character.isspace()]
        return tuple(text[places[found.start(n)] : places[found.end(n) - 1] + 1] for n in range(1, len(found.groups()) + 1))


def parse(source: Scalar) -> Template:
    """The template that a text spells. Raises SyntaxFault with the character at fault."""
    text = source.text
    pieces: list[str | Figure] = []
    end = 0
    for match in re.finditer(r"\{\{(.*?)\}\}", text, re.DOTALL):
        if match.start() > end:
            pieces.append(text[end : match.start()])
        expression, *formats = match.group(1).split("|")
        words = tuple(f.strip() for f in formats)
        if any(word not in FORMATS for word in words):
            raise SyntaxFault(f"unknown format in '{match.group()}'", "formats are " + ", ".join(FORMATS), match.start())
        try:
            pieces.append(Figure(syntax.parse(expression), words, match.start(1)))
        except SyntaxFault as fault:
            raise SyntaxFault(fault.message, fault.mend, match.start(1) + fault.offset) from None
        end = match.end()
    rest = text[end:]
    stray = re.search(r"\{\{|\}\}", rest)
    braces = re.search(r"\{%|\{#", text)
    if stray or braces:
        at = braces.start() if braces else end + (stray.start() if stray else 0)
        raise SyntaxFault("braces that hold no figure", "write {{ fact or parameter }}; nothing else runs in a text", at)
    if rest:
        pieces.append(rest)
    return Template(tuple(pieces), source)
