"""Contradictions: what stated facts cannot be together, by arithmetic alone. Declared as data beside the vocabulary."""

from __future__ import annotations

from collections.abc import Mapping as MappingABC
from dataclasses import dataclass, field

from gpurules.engine.knowledge import document
from gpurules.engine.knowledge.document import Mapping, Node, Scalar
from gpurules.engine.knowledge.vocabulary import Localized, Vocabulary, localized
from gpurules.engine.language import syntax, typecheck
from gpurules.engine.language.syntax import Number, SyntaxFault
from gpurules.engine.language.typecheck import TruthType
from gpurules.engine.values import quantity
from gpurules.engine.values.problem import GpurulesError, Place, Problem, did_you_mean
from gpurules.engine.values.quantity import QuantityError
from gpurules.engine.values.unit import NUMBER

_KEYS = {"id", "when", "says", "mend", "slack"}


@dataclass(frozen=True, slots=True, eq=False)
class Contradiction:
    """`when`, which reads `facts`, cannot be: stated facts that make it surely true contradict each other. `slack` is the share by which
    each number is widened first, for figures that people round. `says` is the reason, `mend` what to write instead."""

    id: str
    when: syntax.Node
    says: Localized
    mend: Localized
    slack: float
    place: Place
    facts: tuple[str, ...] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "facts", syntax.names(self.when))


def load(documents: MappingABC[str, Node], vocabulary: Vocabulary) -> tuple[Contradiction, ...]:
    """The contradictions under `contradictions:` of the vocabulary's files. Raises GpurulesError with every fault."""
    reader = _Reader(vocabulary)
    for node in documents.values():
        listed = node.get("contradictions") if isinstance(node, Mapping) else None
        for item in getattr(listed, "items", ()):
            reader.entry(item)
    if reader.problems:
        raise GpurulesError(reader.problems)
    return tuple(reader.found.values())


class _Reader:
    def __init__(self, vocabulary: Vocabulary) -> None:
        self.vocabulary = vocabulary
        self.problems: list[Problem] = []
        self.found: dict[str, Contradiction] = {}

    def problem(self, place: Place, message: str, mend: str) -> None:
        self.problems.append(Problem(place, "GR201", message, mend))

    def entry(self, node: Node) -> None:
        keys = {e.key for e in node.entries} if isinstance(node, Mapping) else set[str]()
        if not isinstance(node, Mapping) or keys | {"slack"} != _KEYS:
            return self.problem(node.place, "a contradiction has other keys than its own", "write id, when, says, mend, and slack where figures are rounded")
        id_, when, slack, plain = node.get("id"), node.get("when"), node.get("slack"), document.plain(node)
        assert isinstance(plain, dict)
        if not isinstance(id_, Scalar) or not isinstance(when, Scalar):
            return self.problem(node.place, "a contradiction lacks the text of its id or when", "write a word and a condition")
        if id_.text in self.found:
            return self.problem(id_.place, f"contradiction '{id_.text}' stands twice", "keep one")
        tree = self._condition(when)
        try:
            says, mend = (_text(plain[key]) for key in ("says", "mend"))
            share = 0.0 if slack is None else self._share(slack)
        except (KeyError, TypeError, QuantityError) as error:
            return self.problem(node.place, f"contradiction '{id_.text}': {error}", "says and mend have en: and zh:, slack is a share such as 5 %")
        if tree is not None:
            self.found[id_.text] = Contradiction(id_.text, tree, says, mend, share, node.place)

    def _share(self, node: Node) -> float:
        found = quantity.read(node.text if isinstance(node, Scalar) else "", None, True)
        if found.dimension != NUMBER or found.low is None or not 0 <= found.low < 1:
            raise TypeError("slack is no share")
        return found.low

    def _condition(self, node: Scalar) -> syntax.Node | None:
        try:
            tree = syntax.parse(node.text)
        except SyntaxFault as fault:
            self.problems.append(Problem(node.at(fault.offset), "GR100", fault.message, fault.mend))
            return None
        facts, before = self.vocabulary.facts, len(self.problems)
        for name in syntax.names(tree):
            if name not in facts:
                self.problems.append(Problem(node.place, "GR101", f"unknown fact '{name}'", did_you_mean(name, facts, "facts are listed in docs/facts.md")))
            elif facts[name].kind == "choice":
                self.problem(node.place, f"a contradiction reads '{name}', which nobody states", "name facts that may be stated")
        for part in syntax.walk(tree):
            if isinstance(part, Number) and part.value not in (0, 1):
                place = node.at(part.span[0])
                self.problems.append(Problem(place, "GR102", f"bare number {syntax.show(part)}", "a limit belongs into a rule, as a parameter with its source"))
        if len(self.problems) == before:
            for found in typecheck.check(tree, self.vocabulary.scope, TruthType)[1]:
                self.problems.append(Problem(node.at(found.span[0]), found.code, found.message, found.mend))
        return tree if len(self.problems) == before else None


def _text(plain: object) -> Localized:
    if not isinstance(plain, dict) or set(plain) != {"en", "zh"}:  # a comma in braces ends a text
        raise TypeError("a text needs en: and zh: alone")
    return localized(plain)
