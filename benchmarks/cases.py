"""Public cases, each with what a good advisor must conclude, run through the engine: `python benchmarks/cases.py [FILE] [--json]`.

Facts come from the fields of a case (case_facts); tests/cases/<id>.yaml states them more closely where its text says more. What is expected
becomes a predicate over the decision: the one written for it under `assert` of that file, or by its words in expectations.yaml.
`--fields` leaves tests/cases out.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import case_facts
import expectations
import recipes
from case_facts import Run
from expectations import Outcome
from words import Facts, has, supposed

from gpurules.cli import cache as engines
from gpurules.engine import public
from gpurules.engine.inference.evaluation import Engine
from gpurules.engine.knowledge import document, rulebook
from gpurules.engine.values.problem import GpurulesError

Case = Mapping[str, Any]
"""A case as its file has it: id, facts, expect."""

FOLDER = Path(__file__).parents[1] / "tests" / "cases"
WORDS = Path(__file__).with_name("expectations.yaml")
FAULTS = 6
"""Facts refused and left out one after the other before a run is given up."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What came of one expectation: of which case, how sure, what it says, and why it fails (empty where it holds)."""

    case: str
    confidence: str
    says: str
    reason: str = ""


@cache
def engine() -> Engine:
    """The packaged rules, compiled once."""
    return engines.engine(rulebook.packaged())


def main() -> str:
    """The counts and failures of a file of cases, as text or JSON."""
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    arguments.add_argument("file", nargs="?", type=Path, help="cases in YAML; tests/cases by default")
    arguments.add_argument("--json", action="store_true")
    arguments.add_argument("--fields", action="store_true", help="facts from the fields of the cases alone, expectations by their words alone")
    given = arguments.parse_args()
    if given.fields and not given.file:
        arguments.error("--fields wants the file of cases, whose fields and words it reads")
    found = [v for case in (cases(given.file) if given.file else own()) for v in judge(case, None if given.fields else own_file(str(case["id"])))]
    return as_json(found) if given.json else as_text(found)


# ---------------------------------------------------------------- reading


def cases(file: Path) -> list[Mapping[str, Any]]:
    """The cases of a file; leaves are text or numbers as its collector wrote them. Raises GpurulesError, OSError."""
    plain = _plain(document.read(file))
    return [c for c in (plain if isinstance(plain, list) else plain["cases"]) if isinstance(c, Mapping)]


def own() -> list[Mapping[str, Any]]:
    """Our own cases: what is expected of them stands in their files."""
    return [{"id": f.stem, "expect": [{"say": f"{f.stem} {n}", "confidence": a["confidence"]} for n, a in enumerate(own_file(f.stem).get("assert", ()), 1)]}
            for f in sorted(FOLDER.glob("*.yaml"))]  # fmt: skip


@cache
def own_file(case: str) -> Mapping[str, Any]:
    """What tests/cases says of a case: facts or runs, and assert; empty where it says nothing."""
    path = FOLDER / f"{case}.yaml"
    return recipes.texts(document.read(path)) if re.fullmatch(r"[\w-]+", case) and path.is_file() else {}


def _plain(node: document.Node | None) -> Any:
    if isinstance(node, document.Mapping):
        return {e.key: _plain(e.value) for e in node.entries if not (isinstance(e.value, document.Scalar) and e.value.kind == "null")}
    if isinstance(node, document.Listing):
        return [_plain(item) for item in node.items]
    text = node.text if node is not None else ""
    if isinstance(node, document.Scalar) and node.kind in ("int", "float"):
        return int(text) if re.fullmatch(r"-?\d+", text) else float(text)
    return {"true": True, "false": False}.get(text, text) if isinstance(node, document.Scalar) and node.kind == "bool" else text


# ---------------------------------------------------------------- judging


def judge(case: Mapping[str, Any], ours: Mapping[str, Any] | None) -> Iterator[Verdict]:
    """Each expectation of a case, held against the decisions on its runs."""
    ours = ours or {}
    runs = [Run(r.get("name", ""), dict(r["facts"])) for r in ours["runs"]] if "runs" in ours else [Run("", dict(ours["facts"]))] if "facts" in ours else None
    runs = runs or case_facts.runs(case)
    outcomes = [outcome(run) for run in runs]
    asserted = {str(a["expect"]): a for a in ours.get("assert", ())}
    for number, expected in enumerate(case.get("expect", ()), 1):
        says, confidence = str(expected["say"]), str(expected.get("confidence", "high"))
        written = asserted.get(str(number))
        if written is not None:
            changed = [outcome(Run(r.name, r.facts | dict(written["set"]))) for r in runs] if "set" in written else outcomes
            failed = [] if expectations.holds(written["holds"], changed, engine()) else [json.dumps(written["holds"], ensure_ascii=False)]
        else:
            failed = list(_by_words(says, outcomes, runs))
        known = str((written or {}).get("fails", ""))
        yield Verdict(str(case["id"]), confidence, says, "; ".join([known] * bool(known and failed) + failed))


def _by_words(says: str, outcomes: Sequence[Outcome], runs: Sequence[Run]) -> Iterator[str]:
    """What of an expectation's words does not hold. The first entry that fits a clause speaks for it; where a clause names remedies as
    alternatives (`or`), each of theirs may. What a clause says of fit is held against the runs with the settings that it speaks of."""
    met = False
    for clause in re.split(r";\s+|\.\s+", says):
        found = [e for e in _entries() if has(e["words"], clause) and not ("unless" in e and has(e["unless"], clause))]
        if not found:
            continue
        met = True
        first = found[0]
        wanted = [e["holds"] for e in found if e.get("remedy") == "yes"] if first.get("remedy") == "yes" and has(r"\bor\b|/", clause) else [first["holds"]]
        among = _supposing(clause, runs, outcomes) if first.get("of") == "fit" else outcomes
        if not any(expectations.holds(w, among, engine()) for w in wanted):
            yield f"{clause}: {json.dumps(first['holds'], ensure_ascii=False)}"
    if not met:
        yield "its words are not among those of expectations.yaml"


def _supposing(clause: str, runs: Sequence[Run], outcomes: Sequence[Outcome]) -> Sequence[Outcome]:
    """The outcomes of the runs with what a clause supposes, which are those of the runs themselves where it supposes what they state."""
    settings = supposed(clause)
    changed = [Run(r.name, _with(r.facts, settings)) for r in runs]
    return [outcome(r) for r in changed] if all(c.facts != r.facts for c, r in zip(changed, runs, strict=True)) else outcomes


def _with(facts: Facts, settings: Facts) -> Facts:
    """`facts` with the settings of their task that they state otherwise; a card that is named keeps its memory."""
    serves, card = facts.get("workload.task") == "inference", "gpu.name" in facts or "gpu.memory_nominal" in facts
    fitting = {
        k: v for k, v in settings.items()
        if str(facts.get(k)) != str(v) and facts.get(k) != [v] and not (k.startswith(("training.", "parallel.sharding")) and serves)
        and not (k.startswith("inference.") and not serves) and not (k == "gpu.memory_nominal" and card)
    }  # fmt: skip
    if serves and "gpu.count" in fitting and not any(k.startswith("parallel.") for k in {**facts, **fitting}):
        fitting |= {"parallel.tensor": fitting["gpu.count"], "parallel.pipeline": "1"}  # on so many cards means divided among them
    dropped = ("inference.weight_format", "inference.precision") if "inference.weight_bits" in fitting else ()
    return {k: v for k, v in facts.items() if k not in dropped} | fitting


@cache
def _entries() -> tuple[Mapping[str, Any], ...]:
    return tuple(recipes.texts(document.read(WORDS))["expectations"])


def outcome(run: Run) -> Outcome:
    """The decision on a run; a fact that is refused is left out after that is noted."""
    facts = dict(run.facts)
    refused: list[str] = []
    for _ in range(FAULTS):
        try:
            return Outcome(run.name, public.evaluate(facts, engine()).document, refused)
        except GpurulesError as error:
            for problem in error.problems:
                named = [p for p in facts if re.search(rf"(?<![\w.]){re.escape(p)}(?![\w.])", f"{problem.place} {problem.message}")]
                refused.append(" ".join([problem.code, *named]))
                for path in sorted(named, key=lambda p: p.endswith(".name"))[:1]:  # a name says more than a figure beside it
                    facts.pop(path, None)
    return Outcome(run.name, public.evaluate({}, engine()).document, refused)


# ---------------------------------------------------------------- telling


def as_json(found: Sequence[Verdict]) -> str:
    """Counts of high and medium confidence, and what failed."""
    counts = {c: {"n": sum(v.confidence == c for v in found), "passed": sum(v.confidence == c and not v.reason for v in found)} for c in ("high", "medium")}
    failed = [{"id": v.case, "expect": v.says, "reason": v.reason} for v in found if v.reason]
    return json.dumps(counts | {"failed": failed}, ensure_ascii=False, indent=2)


def as_text(found: Sequence[Verdict]) -> str:
    """The same for people."""
    lines = []
    for confidence in ("high", "medium"):
        those = [v for v in found if v.confidence == confidence]
        lines.append(f"{confidence}: {sum(not v.reason for v in those)} of {len(those)} hold")
    return "\n".join(lines + [f"{v.case} ({v.confidence}) {v.says}\n    {v.reason}" for v in found if v.reason])


if __name__ == "__main__":
    print(main())
