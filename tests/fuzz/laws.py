"""What must hold of every input, however malformed: problems that can be acted on, places inside the file, one answer, canonical decisions."""

from __future__ import annotations

import json
import re
import time
import unicodedata
import warnings
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from jsonschema import Draft202012Validator

from gpurules.engine import GpurulesError, Problem, Rulebook
from gpurules.engine.decisions import cases, decision
from gpurules.engine.inference import facts as facts_module
from gpurules.engine.inference.evaluation import Engine
from gpurules.engine.inference.facts import Facts
from gpurules.engine.inference.scalar import compile_rulebook
from gpurules.engine.knowledge import document, lint, rulefile, structure
from gpurules.engine.knowledge.order import Orders
from gpurules.engine.knowledge.rule import Rule
from gpurules.engine.values import canonical

ROOT = Path(__file__).parents[2]
BREAK = re.compile("\r\n|[\r\n\x85\u2028\u2029]")
SECONDS = 2.0
Outcome = tuple[str, ...]
"""The problems as printed; empty for what was accepted."""


class Laws:
    """The laws over one rulebook, loaded and compiled once."""

    def __init__(self, rulebook: Rulebook) -> None:
        self.rulebook, self.engine = rulebook, Engine(rulebook)
        self.schema = structure.validator(json.loads((ROOT / "schemas/rule.schema.json").read_text("utf-8")))
        self.decisions = Draft202012Validator(json.loads((ROOT / "schemas/decision.schema.json").read_text("utf-8")))
        self.accepted = self.evaluated = 0

    def facts(self, content: bytes, twice: bool, evaluate: bool, validate: bool) -> Outcome:
        """Read facts; `evaluate` them where they are accepted, `twice` for the sake of the same answer. Raises AssertionError."""
        found = self._facts(content)
        outcome = self._outcome(found, content, "facts.yaml")
        if twice:
            assert self._outcome(self._facts(content), content, "facts.yaml") == outcome, "two answers"
        if isinstance(found, Facts):
            self.accepted += 1
            if evaluate:
                self.evaluated += 1
                text = self._decision(found, content, validate)
                assert not twice or text == self._decision(found, content, False), "two decisions"
        return outcome

    def _facts(self, content: bytes) -> Facts | Sequence[Problem]:
        start = time.process_time()
        try:
            with warnings.catch_warnings(record=True) as warned:
                return facts_module.read(document.parse(content, "facts.yaml"), self.rulebook)
        except GpurulesError as error:
            return error.problems
        finally:
            assert not warned, f"warned: {warned[0].message}"
            assert time.process_time() - start < SECONDS, "took long"

    def _decision(self, facts: Facts, content: bytes, validate: bool) -> str:
        try:
            evaluation = self.engine.evaluate(facts, file="facts.yaml")
        except GpurulesError as error:
            self._outcome(error.problems, content, "facts.yaml")
            return str(error)
        text = canonical.dumps(decision.document(evaluation, "0.0.0"))
        again = json.loads(text, parse_constant=_refuse)
        assert canonical.dumps(again) == text and unicodedata.is_normalized("NFC", text), "no canonical JSON"
        if validate:
            errors = [f"{list(e.absolute_path)}: {e.message[:200]}" for e in self.decisions.iter_errors(again)]
            assert not errors, errors
        return text

    def rule(self, content: bytes, twice: bool, compiled: bool) -> Outcome:
        """Read and check one rule as the loader does, alone; `compiled`: run its cases where it is accepted. Raises AssertionError."""
        named = re.search(rb"(?m)^id: *([A-Z]{2,5}-[0-9]{3})", content)
        file = f"rules/{named[1].decode() if named else 'COM-901'}-x.yaml"
        found = self._rule(content, file)
        outcome = self._outcome(found if isinstance(found, list) else [], content, file)
        if twice:
            again = self._rule(content, file)
            assert self._outcome(again if isinstance(again, list) else [], content, file) == outcome, "two answers"
        if not isinstance(found, list):
            self.accepted += 1
            if compiled:
                self.evaluated += 1
                self._compiled(*found, content, file)
        return outcome

    def _rule(self, content: bytes, file: str) -> tuple[Rule, Orders] | list[Problem]:
        start = time.process_time()
        try:
            with warnings.catch_warnings(record=True) as warned:
                node = document.parse(content, file)
                faults = structure.check(node, self.schema)
                if faults:
                    return faults
                rule, faults = rulefile.read(node)
                if rule is None:
                    return faults
                canonical.digest(document.plain(node))
                book = self.rulebook
                orders, faults = lint.check({rule.id: rule}, book.vocabulary, book.register, book.catalogs)
                return faults or (rule, orders)
        except GpurulesError as error:
            return list(error.problems)
        finally:
            assert not warned, f"warned: {warned[0].message}"
            assert time.process_time() - start < SECONDS, "took long"

    def _compiled(self, rule: Rule, orders: Orders, content: bytes, file: str) -> None:
        alone = replace(self.rulebook, rules={rule.id: rule}, orders=orders)
        engine = Engine(alone) if rule.cases else None
        compile_rulebook(alone)
        for result in cases.run(engine) if engine else ():
            self._outcome(result.problems, content, file)

    def _outcome(self, found: Facts | Sequence[Problem], content: bytes, file: str) -> Outcome:
        if isinstance(found, Facts):
            return ()
        lines = BREAK.split(content.decode("utf-8-sig", "replace"))
        for problem in sorted(set(found)):
            line, column = problem.place.line, problem.place.column
            assert problem.place.file == file, f"elsewhere: {problem}"
            if line:
                assert 1 <= line <= len(lines) and 1 <= column <= len(lines[line - 1]) + 1, f"outside the file: {problem}"
            assert re.fullmatch(r"GR\d{3}", problem.code) and problem.message.strip() and problem.mend.strip(), f"incomplete: {problem!r}"
            shown = f"{problem.message} {problem.mend}"
            assert not re.search(r"[\x00-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufeff]", shown), f"steers a terminal: {problem!r}"
            assert len(shown) < 2000, f"long: {problem!r}"
        return tuple(str(p) for p in sorted(set(found)))


def _refuse(constant: str) -> object:
    raise AssertionError(f"{constant} in a decision")
