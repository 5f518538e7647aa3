"""The durable back end: truths of workload rules by forward chaining on the Rete network of durable-rules.

Every comparison is tested outside the network. What holds is asserted as `{"n": <integer>}`, one fact at a time; clauses of such
integers (`horn`) fire, and their firing asserts the integer that follows. Nothing else of the library is used: its joins over
fields, negation, arithmetic, batches and its stock Host all have faults, which docs/decisions/0002-durable-backend.md lists.

Derived values feed later comparisons, so rules are taken in layers: one pass of the network tells which rules of a layer hold,
then the facts of the layer are derived by the code that all back ends share.
"""

from __future__ import annotations

import json
import sys
import weakref
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from threading import Lock
from typing import Protocol

from gpurules.engine.inference import horn
from gpurules.engine.inference.agenda import Run, Stratum
from gpurules.engine.inference.horn import Ruleset, Symbol
from gpurules.engine.inference.scalar import Program
from gpurules.engine.language import syntax
from gpurules.engine.values.problem import GpurulesError, Place, Problem
from gpurules.engine.values.truth import DEPENDS, NO, YES, Truth

UNSUPPORTED = (3, 13)
"""The first Python on which durable-rules builds and cannot be imported."""
HANDLED, NOT_HANDLED = 0, 1
"""What asserting a fact may come to: some clause waits for it, or none does."""
_TURN = Lock()  # the network lets others in between two calls, and all passes use one session


class Interface(Protocol):
    """As much of the C module `durable_rules_engine` as is used. Handles and states are integers, facts and firings JSON."""

    def create_ruleset(self, name: str, definition: str, /) -> int: ...
    def delete_ruleset(self, handle: int, /) -> None: ...
    def assert_fact(self, handle: int, fact: str, /) -> tuple[int, int]: ...
    def start_action_for_state(self, handle: int, state: int, /) -> tuple[str, str] | None: ...
    def complete_and_start_action(self, handle: int, state: int, /) -> str | None: ...
    def delete_state(self, handle: int, session: str | None, /) -> None: ...


def interface() -> Interface:
    """The C module. Raises GpurulesError (GR701) where it cannot be had."""
    if sys.version_info >= UNSUPPORTED:
        version = ".".join(map(str, UNSUPPORTED))
        raise _absent(f"durable-rules 2.0.28 cannot be imported on Python {version} and newer", "use the scalar back end, or Python 3.11 or 3.12")
    try:
        import durable_rules_engine
    except ImportError as error:
        mend = "pip install 'gpurules[durable]' (it is compiled: a C compiler is needed), or use the scalar back end"
        raise _absent(f"durable-rules is not installed ({error})", mend) from None
    found: Interface = durable_rules_engine
    return found


def _absent(message: str, mend: str) -> GpurulesError:
    return GpurulesError([Problem(Place("back end durable"), "GR701", message, mend)])


# ---------------------------------------------------------------- layers


@dataclass(frozen=True, slots=True)
class Layer:
    """Rules that read facts of earlier layers only, and the facts that can be derived once they are judged, in order."""

    rules: tuple[str, ...]
    facts: tuple[str, ...]


def layers(program: Program, stratum: Stratum) -> tuple[Layer, ...]:
    """The steps of a stratum, grouped."""
    derivations, level = program.rulebook.derivations, dict[tuple[str, str], int]()
    for kind, name in stratum.steps:
        if kind == "rule":
            when = program.procedures[name].rule.when
            reads = () if when is None else syntax.names(when)
            level[kind, name] = max((level["fact", n] + 1 for n in reads if ("fact", n) in level), default=0)
        else:
            rules = derivations[name].rules
            read = [("fact", n) for r in rules for n in program.procedures[r].leaves[name]]
            before = [level[s] for s in [*(("rule", r) for r in rules), *read] if s in level]
            level[kind, name] = max(before, default=0)

    def at(number: int, kind: str) -> tuple[str, ...]:
        return tuple(name for step, name in stratum.steps if step == kind and level[step, name] == number)

    return tuple(Layer(at(n, "rule"), at(n, "fact")) for n in range(max(level.values(), default=-1) + 1))


# ---------------------------------------------------------------- the network


class Network:
    """The workload rules of a rulebook on Rete networks, one or more a layer. Raises GpurulesError (GR701, GR702)."""

    def __init__(self, program: Program, workload: Stratum) -> None:
        found = [(horn.rulesets(program.procedures[rule] for rule in layer.rules), layer.facts) for layer in layers(program, workload)]
        library = interface()
        self._layers = [([_Rete(library, ruleset) for ruleset in rulesets], facts) for rulesets, facts in found]

    def along(self, run: Run) -> None:
        """Judge the workload's rules and derive its facts, as `Run.along` does."""
        for networks, facts in self._layers:
            for network in networks:
                run.truths.update(network.truths(run))
            for fact in facts:
                run.derive(fact)


class _Rete:
    """One ruleset as a network of the library, deleted with this object."""

    def __init__(self, library: Interface, ruleset: Ruleset) -> None:
        numbers = ruleset.numbers
        self._library, self._awaited = library, ruleset.awaited
        self._heads = [numbers[clause.head] for clause in ruleset.clauses]
        self._rules = [(rule, numbers[Symbol("rule", rule, True)], numbers[Symbol("rule", rule, False)]) for rule in ruleset.rules]
        atoms = [(n, symbol) for symbol, n in numbers.items() if symbol.kind == "atom"]
        self._atoms = [
            (test, tuple(tuple(n for n, s in atoms if s.of == number and s.holds(truth)) for truth in (NO, DEPENDS, YES)))
            for number, test in ruleset.atoms.items()
        ]
        self._needs: list[tuple[tuple[str, ...], int]] = [(s.of, n) for s, n in numbers.items() if s.kind == "needs" and isinstance(s.of, tuple)]
        definition = {
            f"r{i}": {"all": [{f"m_{j}": {"n": numbers[symbol]}} for j, symbol in enumerate(clause.body)]} for i, clause in enumerate(ruleset.clauses)
        }
        self._handle = library.create_ruleset("gpurules", json.dumps(definition))
        weakref.finalize(self, library.delete_ruleset, self._handle).atexit = False

    def truths(self, run: Run) -> Mapping[str, Truth]:
        """The truth of every rule, from the integers that its clauses assert."""
        given = [n for test, numbers in self._atoms for n in numbers[test(run.values)]]
        given += [n for needs, n in self._needs if run.knows(needs)]
        with _TURN:
            fired = self._pass(given)
        return {rule: YES if surely in fired else DEPENDS if possibly in fired else NO for rule, surely, possibly in self._rules}

    def _pass(self, given: Iterable[int]) -> set[int]:
        """Assert what is given in a session of its own; the integers that follow.

        The sentinel fires first: only a firing gives the session's record its initial values, without which deleting it
        frees whatever the memory held before.
        """
        library, handle, fired = self._library, self._handle, set[int]()
        state = self._assert(0)
        started = library.start_action_for_state(handle, state)
        if started is None:
            raise RuntimeError("durable-rules: the sentinel did not fire")
        try:
            for number in given:
                self._assert(number)
            firing: str | None = started[1]
            while firing:
                head = self._heads[int(firing[3 : firing.index('"', 3)])]  # {"r17":{"m_0":{"n":4}}}
                if head not in fired:
                    fired.add(head)
                    if head in self._awaited:
                        self._assert(head)
                firing = library.complete_and_start_action(handle, state)
        finally:
            library.delete_state(handle, None)
        return fired

    def _assert(self, number: int) -> int:
        """Assert one integer; the session's state. One that is taken for another already asserted must not pass in silence."""
        result, state = self._library.assert_fact(self._handle, f'{{"n":{number}}}')
        if result not in (HANDLED, NOT_HANDLED):
            raise RuntimeError(f"durable-rules: asserting {number} gave {result}")
        return state
