"""Candidates: possible machines. Candidate 0 is the one that the facts state; the others come from the catalogue."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from gpurules.engine.inference.agenda import Run
from gpurules.engine.knowledge import statement
from gpurules.engine.knowledge.catalog import Entry
from gpurules.engine.knowledge.document import Scalar
from gpurules.engine.knowledge.rulebook import Rulebook
from gpurules.engine.language.compile import Value
from gpurules.engine.values.interval import Interval, point
from gpurules.engine.values.problem import Place

STATED = {
    "candidate.card": "gpu.name",
    "candidate.count": "gpu.count",
    "candidate.memory_nominal": "gpu.memory_nominal",
    "candidate.memory_usable": "gpu.memory_usable",
    "candidate.memory_bandwidth": "gpu.memory_bandwidth",
    "candidate.half_tensor_rate": "gpu.half_tensor_rate",
    "candidate.power_limit": "gpu.power_limit",
    "candidate.interconnect": "interconnect.kind",
    "candidate.interconnect_bandwidth": "interconnect.bandwidth",
    "candidate.tier": "gpu.tier",
    "candidate.compute_capability": "gpu.compute_capability",
    "candidate.bf16": "gpu.bf16",
    "candidate.tf32": "gpu.tf32",
}
"""What candidate 0 takes each figure from."""
PLAN_FACTS = ("parallel.sharding_stage", "parallel.tensor", "parallel.pipeline", "gpu.count", "workload.task")
COUNTS = (1, 2, 4, 8)
PLANS = ("sharded", "layer_split", "tensor")
"""How several cards may divide the work, the simplest to run first; one card has the plan `single`."""
BRIDGED = 2
"""Cards that a bridge joins where the catalogue does not say more."""
_MEMORY_PLANS = {"none": "replicated", "optimizer": "partly_sharded", "optimizer_gradients": "partly_sharded", "full": "sharded", "full_within_node": "sharded"}


@dataclass(frozen=True, slots=True)
class Candidate:
    """One possible purchase. `figures` are the candidate.* facts that it fixes; what the catalogue lacks stays unknown."""

    card: str
    count: int
    interconnect: str
    plan: str
    figures: Mapping[str, Value]

    @property
    def preference(self) -> int:
        """Place of its plan among plans that are otherwise equal: the simplest first."""
        return ("single", *PLANS).index(self.plan)

    @property
    def id(self) -> str:
        return f"{self.count}x{self.card}/{self.interconnect}/{self.plan}"


# ---------------------------------------------------------------- candidate 0


def stated(known: frozenset[str]) -> bool:
    """Whether the facts describe a machine at all."""
    return any(path.startswith("gpu.") and not path.startswith("gpu.current_") for path in known)


def figures(run: Run) -> Mapping[str, Value]:
    """The candidate.* figures of candidate 0, as wide as the facts leave them."""
    found = {choice: run.value(fact) for choice, fact in STATED.items()}
    return {**found, "candidate.plan": plans(run)}


def plans(run: Run) -> frozenset[str]:
    """Every parallel plan that the facts leave possible.

    One card has no plan. Tensor or pipeline parallel sizes above 1 split layers; otherwise the ranks of data parallel hold
    what their sharding stage says, and the ranks of inference hold the whole model each.
    """
    count, tensor, pipeline = (run.value(p) for p in ("gpu.count", "parallel.tensor", "parallel.pipeline"))
    stage, task = run.value("parallel.sharding_stage"), run.value("workload.task")
    assert isinstance(count, Interval) and isinstance(tensor, Interval) and isinstance(pipeline, Interval)
    assert isinstance(stage, frozenset) and isinstance(task, frozenset)
    found: set[str] = set()
    if count.low <= 1:
        found.add("single")
    if count.high > 1:
        if tensor.high > 1:
            found.add("tensor")
        if pipeline.high > 1:
            found.add("layer_split")
        if tensor.low <= 1 and pipeline.low <= 1:
            if task != frozenset(["inference"]):
                found |= {_MEMORY_PLANS[s] for s in stage}
            if "inference" in task:
                found.add("replicated")
    return frozenset(found)


def cause(name: str) -> tuple[str, ...]:
    """The stated facts behind a figure of candidate 0, for asking about them."""
    return PLAN_FACTS if name == "candidate.plan" else (STATED.get(name, name),)


# ---------------------------------------------------------------- from the catalogue


def catalogued(rulebook: Rulebook) -> tuple[Candidate, ...]:
    """Every card x count x link x plan of one node, in catalogue order."""
    return tuple(c for entry in rulebook.catalogs["card"].entries.values() for c in _of(entry, rulebook))


def _of(entry: Entry, rulebook: Rulebook) -> Iterator[Candidate]:
    facts = rulebook.vocabulary.facts

    def read(path: str, text: str) -> Value:
        return statement.read(facts[path], Scalar(text, "text", Place("catalogs")), rulebook.catalogs)

    fixed: dict[str, Value] = {"candidate.card": frozenset([entry.id])}
    for choice, fact in STATED.items():
        if fact in entry.values:
            fixed[choice] = read(choice, entry.values[fact].text)
    if "candidate.memory_usable" not in fixed and "candidate.memory_nominal" in fixed:
        fixed["candidate.memory_usable"] = fixed["candidate.memory_nominal"]
    for count in COUNTS:
        for kind, bandwidth in _links(entry, count):
            linked = {**fixed, "candidate.count": point(float(count)), "candidate.interconnect": frozenset([kind])}
            if bandwidth:
                linked["candidate.interconnect_bandwidth"] = read("candidate.interconnect_bandwidth", bandwidth)
            for plan in PLANS if count > 1 else ("single",):
                yield Candidate(entry.id, count, kind, plan, {**linked, "candidate.plan": frozenset([plan])})


def _links(entry: Entry, count: int) -> Iterator[tuple[str, str]]:
    """(kind, bandwidth) of each way to join `count` cards: the card's own link as far as it reaches, and PCIe where it has a slot."""
    if count == 1:
        yield "single_gpu", ""
        return
    kind = entry.values["link.kind"].text if "link.kind" in entry.values else ""
    bandwidth = entry.values["link.bandwidth"].text if "link.bandwidth" in entry.values else ""
    slot = entry.values["pcie.bandwidth"].text if "pcie.bandwidth" in entry.values else ""
    link = entry.data.get("link")
    domain = link.get("max_domain") if isinstance(link, dict) else None
    reach = domain if isinstance(domain, int) else BRIDGED if kind == "nvlink_bridge" else max(COUNTS)
    if kind == "pcie":
        yield "pcie", bandwidth
        return
    if kind not in ("", "unified_memory") and count <= reach:
        yield kind, bandwidth
    if slot and (kind == "nvlink_bridge" or (kind == "infinity_fabric" and reach < max(COUNTS))):
        yield "pcie", slot
