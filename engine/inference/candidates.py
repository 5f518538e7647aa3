"""Candidates: possible machines. Candidate 0 is the one that the facts state; the others come from the catalogue."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from gpurules.engine.inference.agenda import Run
from gpurules.engine.knowledge import statement
from gpurules.engine.knowledge.catalog import Entry
from gpurules.engine.knowledge.document import Scalar
from gpurules.engine.knowledge.rulebook import Rulebook
from gpurules.engine.language.compile import Value
from gpurules.engine.values import interval
from gpurules.engine.values.interval import Interval, point
from gpurules.engine.values.problem import Place

STATED = {
    "candidate.card": "gpu.name",
    "candidate.count": "gpu.count",
    "candidate.nodes": "network.nodes",
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
COUNTED = ("candidate.count", "candidate.nodes", "candidate.plan", *DIVISION, "candidate.sharding_stage", FINALISTS, COMPUTE_LEAD, BANDWIDTH_LEAD)
"""How the work is divided, whatever card does it; and what no machine has before it is chosen."""
AT_HAND = frozenset(["gpu.count", "gpu.name", "interconnect.kind", *(fact for figure, fact in STATED.items() if figure not in COUNTED)])
"""The stated facts that machines at hand are made of."""
PLAN_FACTS = ("parallel.sharding_stage", "parallel.tensor", "parallel.pipeline", "gpu.count", "workload.task")
COUNTS = (1, 2, 4, 8)
GROWN = (2, 4, 8)
"""Machines of eight cards that are looked at, in turn, where no single machine has the memory."""
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
    nodes: int = 1
    tensor: int = 1
    """Tensor parallel size inside each machine, beside a plan that spans all of them."""
    at_hand: bool = False
    """Whether it is some of the cards that the facts state, and nothing is bought."""

    division: tuple[Value | None, ...] = field(init=False, compare=False, repr=False)
    """How it divides the work: what it has in common with machines of other cards."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "division", tuple([self.figures.get(path) for path in COUNTED]))

    @property
    def preference(self) -> int:
        """Place of its plan among plans that are otherwise equal: the simplest first."""
        return ("single", *PLANS).index(self.plan)

    @property
    def id(self) -> str:
        own, within = "own-" if self.at_hand else "", f"+tensor{self.tensor}" if self.tensor > 1 else ""
        return f"{own}{self.count}x{self.card}/{self.interconnect}/{self.plan}{within}"


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


def division(plan: str, count: Interval, within: float = 1.0) -> Mapping[str, Value]:
    """Degrees of parallelism and sharding stage of a plan over `count` cards: one way of dividing, over all of them; or with tensor
    parallel of `within` cards below a plan that shards or splits layers over groups of as many.

    >>> division("tensor", point(4))["candidate.tensor"]
    Interval(low=4.0, high=4.0)
    """
    one = point(1.0)
    return {
        "candidate.tensor": count if plan == "tensor" else point(within),
        "candidate.pipeline": interval.divide(count, point(within)) if plan == "layer_split" else one,
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
    """Every offered card x count x link x plan of one machine, in catalogue order."""
    return tuple(c for entry in rulebook.catalogs["card"].entries.values() if entry.offered for c in _of(entry, rulebook))


def grown(rulebook: Rulebook, nodes: int) -> tuple[Candidate, ...]:
    """Every offered card x link of `nodes` machines of eight, sharded or split by layers over all cards, or over groups of tensor parallel
    that stay within a machine, where its link is more than PCIe."""
    per_node, found = max(COUNTS), list[Candidate]()
    for entry in (e for e in rulebook.catalogs["card"].entries.values() if e.offered):
        count = point(float(per_node * nodes))
        counted = {**_card(entry, rulebook), "candidate.count": count, **_machines(rulebook, nodes)}
        for kind, linked in _joined(entry, rulebook, per_node, counted):
            for plan in ("sharded", "layer_split"):
                for within in (1,) if kind == "pcie" else (1, per_node):
                    figures = {**linked, "candidate.plan": frozenset([plan]), **division(plan, count, float(within))}
                    found.append(Candidate(entry.id, per_node * nodes, kind, plan, figures, nodes, within))
    return tuple(found)


def at_hand(run: Run) -> tuple[Candidate, ...]:
    """Fewer of the cards that the facts state, in one machine: nothing has to be bought for them. None where their number is open."""
    count, card, link = run.value("gpu.count"), run.value("gpu.name"), run.value("interconnect.kind")
    assert isinstance(count, Interval) and isinstance(card, frozenset) and isinstance(link, frozenset)
    if not stated(run.known) or not count.exact:
        return ()
    own, found = figures(run), list[Candidate]()
    name, kinds = next(iter(card)) if len(card) == 1 else "stated", link - {"single_gpu"}
    for fewer in (c for c in COUNTS if c < count.low):
        joined = frozenset(["single_gpu"]) if fewer == 1 else kinds
        if not joined:
            continue
        for plan in PLANS if fewer > 1 else ("single",):
            cards = point(float(fewer))
            said: dict[str, Value] = {"candidate.count": cards, "candidate.nodes": point(1.0), "candidate.interconnect": joined}
            said["candidate.plan"] = frozenset([plan])
            kept = {path: value for path, value in own.items() if path in run.program.slots and path not in DIVISION}
            divided = {path: value for path, value in {**said, **division(plan, cards)}.items() if path in run.program.slots}
            found.append(Candidate(name, fewer, "|".join(sorted(joined)), plan, {**kept, **divided}, at_hand=True))
    return tuple(found)


def _of(entry: Entry, rulebook: Rulebook) -> Iterator[Candidate]:
    card = _card(entry, rulebook)
    for count in COUNTS:
        counted = {**card, "candidate.count": point(float(count)), **_machines(rulebook, 1)}
        for kind, linked in _joined(entry, rulebook, count, counted):
            for plan in PLANS if count > 1 else ("single",):
                figures = {**linked, "candidate.plan": frozenset([plan]), **division(plan, point(float(count)))}
                yield Candidate(entry.id, count, kind, plan, figures)


def _card(entry: Entry, rulebook: Rulebook) -> dict[str, Value]:
    """The figures of one card of the catalogue."""
    fixed: dict[str, Value] = {**_not_chosen(rulebook), "candidate.card": frozenset([entry.id])}
    known = {**entry.values, **rulebook.prices.cards.get(entry.id, {})}
    for choice, fact in STATED.items():
        if fact in known:
            fixed[choice] = _read(rulebook, choice, known[fact].text)
    if "candidate.memory_usable" not in fixed and "candidate.memory_nominal" in fixed:
        fixed["candidate.memory_usable"] = fixed["candidate.memory_nominal"]
    return fixed


def _machines(rulebook: Rulebook, nodes: int) -> dict[str, Value]:
    """How many machines, where the vocabulary knows of it."""
    return {"candidate.nodes": point(float(nodes))} if "candidate.nodes" in rulebook.vocabulary.facts else {}


def _read(rulebook: Rulebook, path: str, text: str) -> Value:
    return statement.read(rulebook.vocabulary.facts[path], Scalar(text, "text", Place("catalogs")), rulebook.catalogs)


def _joined(entry: Entry, rulebook: Rulebook, count: int, figures: Mapping[str, Value]) -> Iterator[tuple[str, dict[str, Value]]]:
    """Each way to join `count` cards in a machine: the kind of link, and `figures` with those of the link."""
    for kind, bandwidth in _links(entry, count):
        linked: dict[str, Value] = {**figures, "candidate.interconnect": frozenset([kind])}
        if bandwidth:
            linked["candidate.interconnect_bandwidth"] = _read(rulebook, "candidate.interconnect_bandwidth", bandwidth)
        yield kind, linked


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
