"""The parts of a whole server: what the stated machine, or each machine recommended, wants beside its cards, and its power."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from gpurules.engine.decisions import change, wording
from gpurules.engine.inference import candidates
from gpurules.engine.inference.agenda import Run
from gpurules.engine.inference.candidates import Candidate
from gpurules.engine.inference.evaluation import Evaluation
from gpurules.engine.inference.facts import LOOKED_UP, Fact
from gpurules.engine.language.compile import Table, Value
from gpurules.engine.values.interval import Interval

Document = dict[str, Any]
PARTS: Mapping[str, str] = {
    "host.gpus": "",
    "host.cpu_cores_wanted": "host.cpu_cores",
    "host.memory_channels_wanted": "host.memory_channels",
    "host.memory_wanted": "host.memory",
    "storage.checkpoint_size": "",
    "storage.write_bandwidth_wanted": "storage.write_total",
    "storage.read_bandwidth_wanted": "storage.read_total",
    "network.bandwidth_wanted": "network.bandwidth",
    "power.cards": "",
    "power.rest": "host.other_power",
    "power.expected": "",
    "power.supply_wanted": "host.psu_power",
}
"""What is wanted of each part, and the fact, stated or derived, of what there is of it; in the order of a bill of materials."""
TELLING = 20
"""A figure whose ends are further apart than this factor tells nobody what to order."""
_OF_THE_MACHINE = ("gpu.", "interconnect.", "network.", "parallel.")
"""Groups of facts that speak of the machine there is, and not of another one."""


def document(evaluation: Evaluation, choice: Document | None) -> list[Document]:
    """The parts of the stated machine, where there is one, and of each machine chosen, in this order.

    The figures of a machine of the catalogue are stated in place of the facts' own, and the whole of the rules is
    looked at once more. Figures that stay wide open are left out.
    """
    if change.status(evaluation) == "not_sized":
        return []
    bills: list[Document] = []
    if evaluation.has_candidate and "gpu.count" in evaluation.facts.known:
        bills.append({"machine": "stated", "parts": list(_parts(evaluation.second, there=True))})
    if choice is not None and choice["chosen"]:
        found = evaluation.given_choice if choice["basis"] == "given" else evaluation.assuming_choice
        accepted = {j.candidate.id: j.candidate for j in found.accepted}
        for machine in (m for m in choice["chosen"] if m["id"] in accepted):
            after = _with_machine(evaluation, accepted[machine["id"]])
            if after is not None:
                bills.append({"machine": machine["id"], "parts": list(_parts(after.second, there=False))})
    return [bill for bill in bills if bill["parts"]]


def _with_machine(evaluation: Evaluation, candidate: Candidate) -> Evaluation | None:
    """The evaluation of the same workload on a machine of the catalogue; None where a figure of the server cannot be."""
    facts = evaluation.program.rulebook.vocabulary.facts
    own = (path for path in evaluation.facts.given if path.startswith(_OF_THE_MACHINE) and not path.startswith("gpu.current_"))
    changes: dict[str, Fact | None] = dict.fromkeys(own)
    for figure, path in candidates.STATED.items():
        value = candidate.figures.get(figure)
        if path in facts and path.startswith(_OF_THE_MACHINE) and value is not None and not isinstance(value, Table) and value != facts[path].whole:
            changes[path] = Fact(path, value, LOOKED_UP, "")
    return evaluation.otherwise(changes)


def _telling(value: Value) -> bool:
    return isinstance(value, Interval) and value.low > 0 and value.high <= TELLING * value.low


def _parts(run: Run, there: bool) -> Iterator[Document]:
    """The parts of one node; with `there` also what the facts state of each."""
    rulebook = run.program.rulebook
    facts = rulebook.vocabulary.facts
    for path, stated in PARTS.items():
        derived = run.derived.get(path)
        if derived is None:
            continue
        value = derived.used
        if not _telling(value):
            continue
        title = facts[path].title
        rules = tuple(a.rule for a in derived.alternatives)
        entry: Document = {
            "fact": path,
            "title": {"en": title.en, "zh": title.zh},
            "value": wording.encoded(value),
            "shown": wording.fact(rulebook.vocabulary, path, value),
            "rules": list(rules),
            "cites": list(dict.fromkeys(c for rule in rules for c in rulebook.rules[rule].cites)),
        }
        if there and stated and (stated in run.known or _telling(run.value(stated))):
            entry["stated"] = wording.fact(rulebook.vocabulary, stated, run.value(stated))
        yield entry
