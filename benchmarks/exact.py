"""Exactly known facts and machines, drawn at random, in the engine's words and in those of `by_hand`.

`rulebook` is the packaged one with its ranges taken at their upper ends, as `by_hand` has them: `value: 16..20 byte` becomes
`value: 20 byte`, and `hull(a, b)` becomes `max(a, b)`. `part` holds the rules of `by_hand.COVERED` alone: what they say is the
same, but that they override rules which are left out. What only a rule left out derives, no rule of the part reads.
"""

from __future__ import annotations

import dataclasses
import hashlib
import math
import random
import re
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from importlib import resources
from pathlib import Path
from typing import Any

import by_hand

from gpurules.engine.inference import facts as reading
from gpurules.engine.inference.candidates import Candidate
from gpurules.engine.inference.facts import STATED, Fact, Facts
from gpurules.engine.knowledge import document
from gpurules.engine.knowledge import rulebook as rulebooks
from gpurules.engine.knowledge.rule import Conclusion, Derive, Prefer, Require, Rule
from gpurules.engine.knowledge.rulebook import Rulebook
from gpurules.engine.language import syntax
from gpurules.engine.language.compile import Value
from gpurules.engine.values.interval import Interval, point
from gpurules.engine.values.problem import GpurulesError

_RANGE = re.compile(r"(value: *['\"]?)[\d.]+?\.\.([\d.]+)")
_OVERRIDES = re.compile(r"^overrides: *\[([^\]]*)\]", re.MULTILINE)
_PATHS = {field.name: field.name.replace("_", ".", 1) for field in dataclasses.fields(by_hand.Facts)}
_FIGURES = tuple(f.name for f in dataclasses.fields(by_hand.Machine) if f.name not in ("preference", "id"))
_UNKNOWN = {"half_tensor_rate": 1e12, "interconnect_bandwidth": 1e9, "tf32": False}
"""What stands in for a figure that the catalogue lacks: the worst that it can be."""

SIZES = (1.5e9, 3e9, 6e9, 6.7e9, 7e9, 8e9, 10e9, 13e9, 15e9, 20e9, 30e9, 33e9, 70e9, 110e9)
NAMES = ("gpt2-xl", "phi-2", "gemma-2-2b", "gemma-2-27b", "gemma-3-4b-it", "llama-2-7b", "llama-2-13b", "llama-3.1-8b")
"""Models that facts name: rules look at some names, and at no other."""
NUMBERS: Mapping[str, tuple[float, float] | tuple[float, ...]] = {
    "gpu_count": (1, 2, 4, 8, 16), "model_attention_heads": (12, 20, 32, 40, 64), "parallel_tensor": (1, 2, 4, 8), "network_nodes": (1, 2, 4),
    "training_micro_batch": (1, 2, 4, 8, 32), "training_gradient_accumulation": (1, 4, 16), "inference_weight_bits": (0.5, 1.0, 2.0, 4.0),
    "training_base_weight_bits": (0.5, 1.0, 2.0), "gpu_memory_nominal": (16e9, 24e9, 40e9, 48e9, 80e9),
    "workload_visual_tokens": (0, 256, 1000, 20000), "model_layers": (12, 24, 32, 80), "model_hidden_size": (768, 2048, 4096, 8192),
    "model_intermediate_size": (2048, 5504, 11008, 28672), "model_head_size": (64, 96, 128), "model_kv_heads": (1, 8, 12, 32),
    "model_vocabulary_size": (32000, 50257, 128256, 256000), "model_experts": (0, 0, 0, 1, 8, 64), "model_kv_elements_per_token": (65536, 262144),
    "model_kv_elements_beyond_window": (0, 32768, 65536), "model_sliding_window": (1024, 4096), "training_sequence_length": (512, 2048, 8192),
    "measured_micro_batch": (1, 4, 8), "measured_sequence_length": (512, 2048),
    "training_adapter_rank": (8, 16, 64), "inference_context_length": (512, 4096, 32768), "inference_concurrency": (1, 8, 64),
    "inference_kv_bits": (0.5, 1.0, 2.0), "inference_prefill_chunk": (512, 8192), "parallel_pipeline": (1, 2, 4), "parallel_context": (1, 2),
    "parallel_expert": (1, 2, 8), "parallel_reduce_bucket": (1e8, 5e8), "host_memory": (64e9, 256e9, 1e12, 4e12),
}  # fmt: skip
"""Values that whole numbers and sizes take; what is not named here lies in SPANS."""
SPANS: Mapping[str, tuple[float, float]] = {
    "gpu_memory_usable": (10e9, 150e9), "gpu_power_limit": (70, 1200), "host_other_power": (100, 2000), "interconnect_bandwidth": (10e9, 3e12),
    "measured_memory_peak": (5e9, 150e9), "measured_activation_share": (0.05, 0.95), "measured_communication_share": (0.02, 0.9),
    "measured_throughput_fluctuation": (0, 0.6), "measured_data_wait_share": (0, 0.9), "measured_gpu_utilization": (0.05, 1),
    "measured_duration": (600, 1e5), "period_horizon": (1e6, 3e8), "period_utilization": (0.1, 1), "site_rack_power": (1000, 40000),
}  # fmt: skip


def rulebook() -> Rulebook:
    """The packaged rules, all of them, with every range at its upper end."""
    return _written(_files(resources.files("gpurules.rules")), True)


def part(upper: bool = False) -> Rulebook:
    """The packaged rules that `by_hand` covers; with `upper`, every range of theirs at its upper end."""
    return _written(((name, _alone(text)) for name, text in _files(resources.files("gpurules.rules")) if _covered(name)), upper)


def _written(files: Iterable[tuple[str, str]], upper: bool) -> Rulebook:
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files:
            path = Path(folder) / "rules" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(_RANGE.sub(r"\1\2", text).replace("hull(", "max(") if upper else text, "utf-8")
        return rulebooks.load(rulebooks.folder(Path(folder)))


def _covered(name: str) -> bool:
    file = name.rpartition("/")[2]
    return file == "rulebook.yaml" or file[:7] in by_hand.COVERED


def _alone(text: str) -> str:
    """A rule's file with those of its overrides that the part holds."""

    def kept(match: re.Match[str]) -> str:
        found = [id_ for id_ in re.findall(r"[A-Z]{3}-\d{3}", match.group(1)) if id_ in by_hand.COVERED]
        return f"overrides: [{', '.join(found)}]" if found else ""

    return _OVERRIDES.sub(kept, text)


def unmet(rules: Rulebook) -> list[str]:
    """Facts that a rule of the part reads, and of `rules`, the whole rulebook, only rules derive that are left out."""
    read = {name for rule in rules.running if rule.id in by_hand.COVERED for name in _names(rule)}
    return sorted(name for name in read if name in rules.derivations and not by_hand.COVERED & set(rules.derivations[name].rules))


def aside(rules: Rulebook) -> list[str]:
    """Rules left out that derive, in cases of their own, a fact which the part derives too."""
    sharing = (d.rules for d in rules.derivations.values() if by_hand.COVERED & set(d.rules))
    return sorted({id_ for ids in sharing for id_ in ids} - by_hand.COVERED)


def _names(rule: Rule) -> Iterator[str]:
    trees = [] if rule.when is None else [rule.when]
    for conclusion in rule.then:
        match conclusion:
            case Derive(_, _, given, _) if given is not None:
                trees.append(given.tree)
            case Require():
                trees.append(conclusion.condition.tree)
            case Prefer():
                trees.append(conclusion.figure.tree)
    for tree in trees:
        yield from syntax.names(tree)


def _files(folder: resources.abc.Traversable, prefix: str = "") -> Iterator[tuple[str, str]]:
    for entry in folder.iterdir():
        if entry.is_dir():
            yield from _files(entry, f"{prefix}{entry.name}/")
        elif entry.name.endswith(".yaml"):
            yield f"{prefix}{entry.name}", entry.read_text("utf-8")


def logic(rules: Rulebook) -> str:
    """A digest of what `by_hand` follows: conditions, parameters, derivations, requirements and preferences of the rules it covers."""
    found: list[object] = []
    for rule in rules.running:
        if rule.id not in by_hand.COVERED:
            continue
        overridden = sorted(id_ for id_ in rule.overrides if id_ in by_hand.COVERED)
        figures = {n: ([v.value for v in p.values], [(r.key, r.value) for r in p.rows]) for n, p in sorted(rule.parameters.items())}
        when = "" if rule.when is None else syntax.show(rule.when)
        found.append((rule.id, rule.for_each, sorted(rule.needs), overridden, when, figures, [_said(c) for c in rule.then]))
    return hashlib.sha256(repr(found).encode()).hexdigest()[:16]


def _said(conclusion: Conclusion) -> tuple[object, ...]:
    match conclusion:
        case Derive():
            given = conclusion.expression
            return "derive", conclusion.fact, repr(document.plain(conclusion.node)) if given is None else syntax.show(given.tree)
        case Require():
            return "require", syntax.show(conclusion.condition.tree)
        case Prefer():
            return "prefer", syntax.show(conclusion.figure.tree), conclusion.direction, conclusion.rank
    return ()


def followed(rules: Rulebook) -> bool:
    """Whether `by_hand` was written for these rules."""
    return logic(rules) == by_hand.RULES


# ---------------------------------------------------------------- facts of the whole rulebook


def pool(rules: Rulebook) -> dict[str, list[Value]]:
    """Exact values of every fact that can be stated: those that the rules' own cases state, or else any that it may have."""
    found: dict[str, list[Value]] = {}
    for rule in rules.running:
        for case in rule.cases:
            try:
                given = reading.read(case.facts, rules).given
            except GpurulesError:  # a case of two facts that contradict each other
                continue
            for path, fact in given.items():
                if fact.value.exact if isinstance(fact.value, Interval) else len(fact.value) == 1:
                    found.setdefault(path, []).append(fact.value)
    for path, definition in rules.vocabulary.facts.items():
        if definition.number:
            ends = definition.range
            found.setdefault(path, [point(value) for value in (ends.low, 0.999 * ends.low + 0.001 * ends.high) if not definition.integer or value % 1 == 0])
        else:
            found[path] = [frozenset([member]) for member in definition.members]  # as often as another, not as often as cases name it
    return {path: values for path, values in found.items() if rules.vocabulary.facts[path].kind != "choice" and path not in rules.derivations}


def anything(draw: random.Random, values: Mapping[str, list[Value]]) -> dict[str, Value]:
    """One exact value of every fact that can be stated."""
    return {path: draw.choice(some) for path, some in sorted(values.items())}


# ---------------------------------------------------------------- facts that `by_hand` reads


def facts(draw: random.Random, rules: Rulebook) -> by_hand.Facts:
    """Every fact that a rule reads, each one value."""
    vocabulary, found = rules.vocabulary.facts, dict[str, Any]()
    for name, path in _PATHS.items():
        definition = vocabulary[path]
        if name in NUMBERS:
            found[name] = float(draw.choice(NUMBERS[name]))
        elif name in SPANS:
            found[name] = draw.uniform(*SPANS[name])
        elif definition.type == "bool":
            found[name] = draw.random() < 0.5
        elif not definition.number:
            found[name] = draw.choice(list(definition.members))
    found["model_size_class"] = draw.choice(SIZES)
    found["model_parameters"] = float(round(draw.uniform(0.9, 1.1) * float(draw.choice(SIZES))))
    found["model_name"] = draw.choice(NAMES)
    if found["parallel_tensor"] > 1:
        found["parallel_pipeline"] = 1.0  # the plan of the machine that is there has one name
    return by_hand.Facts(**found)


def stated(given: by_hand.Facts, rules: Rulebook) -> Facts:
    """The same facts as the engine takes them, all stated."""
    values = {path: _value(getattr(given, name)) for name, path in _PATHS.items()}
    return Facts({path: Fact(path, values[path], STATED, "") for path in rules.vocabulary.facts if path in values}, ())


def as_floats(given: Facts) -> by_hand.Facts:
    """Facts that state everything exactly, as `by_hand` takes them."""
    return by_hand.Facts(**{name: _plain(given.given[path].value) for name, path in _PATHS.items()})


def _plain(value: Value) -> Any:
    if isinstance(value, Interval) and value.exact:
        return value.low
    if isinstance(value, frozenset) and len(value) == 1:
        (member,) = value
        return {"yes": True, "no": False}.get(member, member)
    raise ValueError(f"{value} is not known exactly")


def _value(value: object) -> Interval | frozenset[str]:
    if isinstance(value, bool):
        return frozenset(["yes" if value else "no"])
    assert isinstance(value, str | float)
    return frozenset([value]) if isinstance(value, str) else point(value)


# ---------------------------------------------------------------- machines

WORDS = ("card", "interconnect", "tier", "plan", "sharding_stage")


def machine(draw: random.Random, rules: Rulebook) -> by_hand.Machine:
    """A machine that nobody sells."""
    words = {name: draw.choice(list(rules.vocabulary.facts[f"candidate.{name}"].members)) for name in WORDS}
    memory = draw.uniform(10e9, 200e9)
    nominal = draw.choice((16e9, 24e9, 40e9, 48e9, 80e9))
    return by_hand.Machine(
        words["card"], float(draw.choice((1, 2, 4, 8))), nominal, memory, draw.uniform(2e11, 8e12), draw.uniform(2e12, 2e15), draw.uniform(70, 1200),
        words["interconnect"], draw.uniform(1e10, 2e12), words["tier"], draw.random() < 0.7, draw.random() < 0.7, words["plan"],
        float(draw.choice((1, 2, 4, 8))), float(draw.choice((1, 1, 2, 4))), float(draw.choice((1, 1, 2))), words["sharding_stage"],
    )  # fmt: skip


def stated_machine(given: by_hand.Facts) -> by_hand.Machine:
    """Candidate 0: what the facts say of the machine that is there, without the rest of its data sheet."""
    count, plan, stage = given.gpu_count, "single", "none"
    if count > 1:
        stage = given.parallel_sharding_stage
        plan = "replicated" if given.workload_task == "inference" else _PLANS[stage]
        plan = "tensor" if given.parallel_tensor > 1 else "layer_split" if given.parallel_pipeline > 1 else plan
    return by_hand.Machine(
        given.gpu_name, count, given.gpu_memory_nominal, given.gpu_memory_usable, 1e12, 1e14, given.gpu_power_limit,
        given.interconnect_kind, given.interconnect_bandwidth, "data_center", given.gpu_bf16, given.gpu_tf32, plan,
        min(given.parallel_tensor, count), min(given.parallel_pipeline, count), min(given.parallel_context, count), stage,
    )  # fmt: skip


_PLANS = {"none": "replicated", "optimizer": "partly_sharded", "optimizer_gradients": "partly_sharded", "full": "sharded", "full_within_node": "sharded"}


def catalogued(candidate: Candidate) -> by_hand.Machine | None:
    """A candidate of the catalogue; None where its power is unknown."""
    found: dict[str, Any] = {}
    for name in _FIGURES:
        value = candidate.figures.get(f"candidate.{name}")
        if isinstance(value, Interval):
            found[name] = value.low if value.exact else math.nan
        elif isinstance(value, frozenset):
            (found[name],) = value
            found[name] = found[name] == "yes" if name in ("bf16", "tf32") else found[name]
        elif name in _UNKNOWN:
            found[name] = _UNKNOWN[name]
        else:
            return None
    return by_hand.Machine(**found, preference=candidate.preference, id=candidate.id)


def figures(given: by_hand.Machine) -> dict[str, Value]:
    """The candidate.* facts of a machine, as the engine takes them."""
    return {f"candidate.{name}": _value(getattr(given, name)) for name in _FIGURES}
