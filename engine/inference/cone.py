"""The cone of some rules: all that must be looked at to judge them, and nothing else, so that they can be judged often."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gpurules.engine.inference import candidates
from gpurules.engine.inference.agenda import Stratum
from gpurules.engine.inference.evaluation import Engine
from gpurules.engine.inference.kernel import Kernel
from gpurules.engine.knowledge.rule import Assume
from gpurules.engine.language import aggregate

MOST = 2
"""How many times fewer steps a cone may have than all requirements to be judged by their kernels."""


class Cone(Engine):
    """An engine that judges `targets`, derives `wanted`, and what they rest on; the truths and values that it finds are those of the whole engine.

    `facts` are the facts that somebody can state and that these rules read, in the order of the vocabulary, `derived` those
    between, and `figures` those of a machine; `needed` are the facts without which some rule keeps silent, and `assumed_by`
    tells what each rule assumes. `machine` adds the stated facts behind figures. Machines of the catalogue are looked for only
    where a rule reads what is said of all of them (`aggregates`); the cone is then the whole rulebook.
    """

    def __init__(self, whole: Engine, targets: Iterable[str], machine: bool = True, wanted: Iterable[str] = ()) -> None:
        self.__dict__.update(whole.along_the_agenda().__dict__)
        self.targets = tuple(targets)
        reached = _Reached(whole, self.targets, machine, wanted)
        parts = whole.workload, whole.candidate, whole.together
        self.workload, self.candidate, self.together = (Stratum(tuple(s for s in part.steps if s in reached.steps)) for part in parts)
        self.aggregates = tuple(name for name in whole.program.aggregates if name in reached.names)
        self.rules = frozenset(name for kind, name in reached.steps if kind == "rule")
        self.assuming_procedures = tuple(p for p in whole.assuming_procedures if p.rule.id in self.rules)
        vocabulary = whole.rulebook.vocabulary.facts
        self.facts = tuple(path for path, d in vocabulary.items() if path in reached.names and d.kind == "observed")
        self.derived = tuple(path for path in vocabulary if ("fact", path) in reached.steps)
        self.figures = tuple(path for path, d in vocabulary.items() if path in reached.names and d.kind == "choice")
        rules = self.program.procedures
        self.assumed_by = {r: frozenset(c.fact for c in rules[r].rule.then if isinstance(c, Assume)) for r in self.rules if rules[r].assumes}
        self.needed = frozenset(fact for r in self.rules for fact in rules[r].rule.needs)
        self._kernels = self._shared(whole)

    def _shared(self, whole: Engine) -> tuple[Kernel | None, Kernel | None]:
        """The kernels of all requirements, made once for an engine, where this is most of what they rest on: they look at more, but
        nothing has to be made."""
        if whole.program is not whole._compiled or not set(self.targets) <= set(whole.requirements):
            return None, None
        if whole.required is None:
            reached = _Reached(whole, whole.requirements, True, ())
            parts = (Stratum(tuple(s for s in part.steps if s in reached.steps)) for part in (whole.workload, whole.candidate))
            before, after = (Kernel(whole.program, whole.rulebook.orders, part, ()) for part in parts)
            whole.required = before, after
        most = MOST * (len(self.workload.steps) + len(self.candidate.steps)) >= sum(len(k.rules) + len(k.facts) for k in whole.required)
        return whole.required if most else (None, None)


class _Reached:
    """What some rules rest on: rules and derived facts as steps of an agenda, and the names of all facts read."""

    def __init__(self, engine: Engine, targets: Iterable[str], machine: bool, wanted: Iterable[str]) -> None:
        self.program, self.derivations, self.orders = engine.program, engine.rulebook.derivations, engine.rulebook.orders
        self.machine = machine
        self.assuming: dict[str, list[str]] = {}
        for procedure in self.program.procedures.values():
            for conclusion in procedure.rule.then:
                if isinstance(conclusion, Assume):
                    self.assuming.setdefault(conclusion.fact, []).append(procedure.rule.id)
        self.steps: set[tuple[str, str]] = set()
        self.names: set[str] = set()
        pending = [*(("rule", rule) for rule in targets), *(("fact", fact) for fact in wanted)]
        while pending:
            step = pending.pop()
            if step not in self.steps:
                self.steps.add(step)
                pending.extend(self._before(*step))

    def _before(self, kind: str, name: str) -> Iterator[tuple[str, str]]:
        if kind == "fact":
            for deriving in self.derivations[name].rules:
                yield "rule", deriving
                yield from self._read(self.program.named(deriving, name))
            return
        for overrider in self.orders.overriders.get(name, ()):
            if overrider in self.program.procedures:
                yield "rule", overrider
        yield from self._read(self.program.named(name))

    def _read(self, names: Iterable[str]) -> Iterator[tuple[str, str]]:
        """The steps behind names; behind a figure of the stated machine, those of the facts that give it."""
        facts = self.program.rulebook.vocabulary.facts
        for name in names:
            for path in (name, *(candidates.cause(name) if self.machine else ())):
                if aggregate.is_one(path) and path not in self.names:
                    self.names.add(path)
                    yield from (("rule", rule) for rule in self.program.procedures)
                if path not in facts or path in self.names:
                    continue
                self.names.add(path)
                if path in self.derivations:
                    yield "fact", path
                for rule in self.assuming.get(path, ()):
                    yield "rule", rule
