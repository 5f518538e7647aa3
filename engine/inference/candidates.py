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
    "candidate.vendor": "gpu.vendor",
    "candidate.bf16": "gpu.bf16",
    "candidate.tf32": "gpu.tf32",
    "candidate.card_price": "budget.card_price",
    "candidate.host_price": "budget.host_price",
}
"""What candidate 0 takes each figure from."""
DIVISION = {"candidate.tensor": "parallel.tensor", "candidate.pipeline": "parallel.pipeline", "candidate.context": "parallel.context"}
"""Degrees of parallelism of candidate 0."""
FINALISTS, COMPUTE_LEAD, BANDWIDTH_LEAD = "candidate.finalists", "candidate.finalist_compute_lead", "candidate.finalist_bandwidth_lead"
"""What is known of a machine once it was chosen, beside the others that were."""
COUNTED = ("candidate.count", "candidate.plan", *DIVISION, "candidate.sharding_stage", FINALISTS, COMPUTE_LEAD, BANDWIDTH_LEAD)
"""How the work is divided, whatever card does it; and what no machine has before it is chosen."""
PLAN_FACTS = ("parallel.sharding_stage", "parallel.tensor", "parallel.pipeline", "gpu.count", "workload.task")
COUNTS = (1, 2, 4, 8)
PLANS = ("sharded", "layer_split", "tensor")
"""How several cards may divide the work, the simplest to run first; one card has the plan `single`."""
BRIDGED = 2
"""Cards that a bridge joins where the catalogue does not say more."""
_MEMORY_PLANS = {"none": "replicated", "optimizer": "partly_sharded", "optimizer_gradients": "partly_sharded", "full": "sharded", "full_within_node": "sharded"}
_STAGES = {"sharded": frozenset(["full"]), "partly_sharded": frozenset(["optimizer", "optimizer_gradients"])}


@dataclass(frozen=True, slots=True)
class Candidate:
    """One possible purchase. `figures` are the candidate.* facts that it fixes; what the catalogue lacks stays unknown."""

    card: str
    count: int
    interconnect: str
    plan: str
    figures: Mapping[str, Value]

    @property
    def division(self) -> tuple[Value | None, ...]:
        """How it divides the work: what it has in common with machines of other cards."""
        return tuple([self.figures.get(path) for path in COUNTED])

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
    found = {choice: run.value(fact) for choice, fact in STATED.items() if choice in run.program.slots}
    return {**found, **_not_chosen(run.program.rulebook), "candidate.plan": plans(run), **_stated_division(run)}


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


def _stated_division(run: Run) -> Mapping[str, Value]:
    """How candidate 0 divides the work, within its number of cards; one card divides nothing."""
    count, stage = run.value("gpu.count"), run.value("parallel.sharding_stage")
    assert isinstance(count, Interval)
    found: dict[str, Value] = {}
    for choice, fact in DIVISION.items():
        ways = run.value(fact)
        assert isinstance(ways, Interval)
        found[choice] = Interval(1.0 if count.low <= 1 else min(ways.low, count.high), min(ways.high, count.high))
    found["candidate.sharding_stage"] = frozenset(["none"]) if count.high <= 1 else frozenset([*stage, *(["none"] if count.low <= 1 else [])])
    return found


def completed(figures: Mapping[str, Value]) -> Mapping[str, Value]:
    """`figures` with the division of the work that their plan and number of cards imply, where it is not said."""
    plan, count = figures.get("candidate.plan"), figures.get("candidate.count")
    if not isinstance(plan, frozenset) or len(plan) != 1 or not isinstance(count, Interval):
        return figures
    [way] = plan
    return {**division(way, count), **figures}


def division(plan: str, count: Interval) -> Mapping[str, Value]:
    """Degrees of parallelism and sharding stage of a plan over `count` cards: one way of dividing, over all of them.

    >>> division("tensor", point(4))["candidate.tensor"]
    Interval(low=4.0, high=4.0)
    """
    one = point(1.0)
    return {
        "candidate.tensor": count if plan == "tensor" else one,
        "candidate.pipeline": count if plan == "layer_split" else one,
        "candidate.context": one,
        "candidate.sharding_stage": _STAGES.get(plan, frozenset(["none"])),
    }


def cause(name: str) -> tuple[str, ...]:
    """The stated facts behind a figure of candidate 0, for asking about them."""
    if name == "candidate.plan":
        return PLAN_FACTS
    if name == "candidate.sharding_stage":
        return ("parallel.sharding_stage", "gpu.count")
    if name in DIVISION:
        return (DIVISION[name], "gpu.count")
    return (STATED.get(name, name),)


def _not_chosen(rulebook: Rulebook) -> Mapping[str, Value]:
    """While machines are judged none is a finalist, so that nothing depends on it; rules about finalists speak afterwards."""
    return {path: point(0.0) for path in (FINALISTS, COMPUTE_LEAD, BANDWIDTH_LEAD) if path in rulebook.vocabulary.facts}


# ---------------------------------------------------------------- from the catalogue


def catalogued(rulebook: Rulebook) -> tuple[Candidate, ...]:
    """Every card x count x link x plan of one node, in catalogue order."""
    return tuple(c for entry in rulebook.catalogs["card"].entries.values() for c in _of(entry, rulebook))


def _of(entry: Entry, rulebook: Rulebook) -> Iterator[Candidate]:
    facts = rulebook.vocabulary.facts

    def read(path: str, text: str) -> Value:
        return statement.read(facts[path], Scalar(text, "text", Place("catalogs")), rulebook.catalogs)

    fixed: dict[str, Value] = {**_not_chosen(rulebook), "candidate.card": frozenset([entry.id])}
    known = {**entry.values, **rulebook.prices.cards.get(entry.id, {})}
    for choice, fact in STATED.items():
        if fact in known:
            fixed[choice] = read(choice, known[fact].text)
    if "candidate.memory_usable" not in fixed and "candidate.memory_nominal" in fixed:
        fixed["candidate.memory_usable"] = fixed["candidate.memory_nominal"]
    for count in COUNTS:
        for kind, bandwidth in _links(entry, count):
            linked = {**fixed, "candidate.count": point(float(count)), "candidate.interconnect": frozenset([kind])}
            if bandwidth:
                linked["candidate.interconnect_bandwidth"] = read("candidate.interconnect_bandwidth", bandwidth)
            for plan in PLANS if count > 1 else ("single",):
                figures = {**linked, "candidate.plan": frozenset([plan]), **division(plan, point(float(count)))}
                yield Candidate(entry.id, count, kind, plan, figures)


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
