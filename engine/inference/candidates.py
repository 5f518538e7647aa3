"""Candidates: possible machines. Candidate 0 is the one that the facts state; its figures are those of gpu.*."""

from __future__ import annotations

from collections.abc import Mapping

from gpurules.engine.inference.agenda import Run
from gpurules.engine.language.compile import Value
from gpurules.engine.values.interval import Interval

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
}
"""What candidate 0 takes each figure from."""
PLAN_FACTS = ("parallel.sharding_stage", "parallel.tensor", "parallel.pipeline", "gpu.count", "workload.task")
_MEMORY_PLANS = {"none": "replicated", "optimizer": "partly_sharded", "optimizer_gradients": "partly_sharded", "full": "sharded", "full_within_node": "sharded"}


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
