"""Contradictions among stated facts: each refused with the places of all its facts, and none where physics leaves a doubt."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

import pytest

from gpurules.engine import GpurulesError, Rulebook, evaluate, load
from gpurules.engine.inference import facts
from gpurules.engine.knowledge import contradiction, document, vocabulary

ROOT = Path(__file__).parents[2]
Fault = tuple[str, str, str, str]
Refused = Callable[[list[str], list[Fault], bool], None]
TOGETHER: dict[str, tuple[str, str, str, list[str], str]] = {
    # id: facts that contradict each other; facts at the limit; where the fault stands; what the message names; words of the mend
    "kv_heads_above_heads": (
        "model.attention_heads: 32\nmodel.kv_heads: 40\n", "model.attention_heads: 32\nmodel.kv_heads: 32\n",
        "2:17", ["model.kv_heads 40 contradicts model.attention_heads 32 (facts.yaml:1:24)"], "num_key_value_heads",
    ),
    "active_above_total": (
        "model.active_parameters: 13B\nmodel.parameters: 7B\n", "model.active_parameters: 7B\nmodel.parameters: 6.74B\n",
        "2:19", ["model.parameters 7B contradicts model.active_parameters 13B (facts.yaml:1:26)"], "counts all experts",
    ),
    "more_nodes_than_cards": (
        "gpu: {count: 4}\nnetwork:\n  nodes: 8\n", "gpu.count: 8\nnetwork.nodes: 8\n",
        "3:10", ["network.nodes 8 contradicts gpu.count 4 (facts.yaml:1:14)"], "over all nodes",
    ),
    "groups_above_cards": (
        "parallel: {tensor: 4, pipeline: 2}\ngpu.count: 4\n", "parallel: {tensor: 4, pipeline: 2}\ngpu.count: 8\n",
        "2:12", ["gpu.count 4 contradicts parallel.tensor 4 (facts.yaml:1:20) and parallel.pipeline 2 (facts.yaml:1:33)"], "really launched",
    ),
    "training_groups_above_cards": (
        "workload.task: lora\ngpu.count: 8\nparallel: {tensor: 4, context: 4}\n", "workload.task: inference\ngpu.count: 8\nparallel: {tensor: 4, context: 4}\n",
        "3:32", ["parallel.context 4 contradicts workload.task LoRA", "parallel.tensor 4 (facts.yaml:3:20)", "gpu.count 8 (facts.yaml:2:12)"], "really",
    ),
    "expert_groups_above_cards": (
        "parallel.expert: 16\ngpu.count: 8\n", "parallel.expert: 8\ngpu.count: 8\n",
        "2:12", ["gpu.count 8 contradicts parallel.expert 16 (facts.yaml:1:18)"], "really launched",
    ),
    "more_stages_than_layers": (
        "model.layers: 4\nparallel.pipeline: 8\n", "model.layers: 6\nparallel.pipeline: 8\n",
        "2:20", ["parallel.pipeline 8 contradicts model.layers 4 (facts.yaml:1:15)"], "not of micro-batches",
    ),
    "one_card_without_link": (
        "interconnect.kind: single_gpu\ngpu.count: 2\n", "interconnect.kind: single_gpu\ngpu.count: 1\n",
        "2:12", ["gpu.count 2 contradicts interconnect.kind none, a single GPU (facts.yaml:1:20)"], "nvidia-smi topo -m",
    ),
    "nodes_without_network": (
        "network: {nodes: 2, kind: none}\n", "network: {nodes: 1, kind: none}\n",
        "1:27", ["network.kind", "contradicts network.nodes 2 (facts.yaml:1:18)"], "name the network",
    ),
    "exposed_above_all_communication": (
        "measured: {communication_share: 20 %, communication_exposed_share: 30 %}\n",
        "measured: {communication_share: 20 %, communication_exposed_share: 21 %}\n",
        "1:68", ["measured.communication_exposed_share 30 % contradicts measured.communication_share 20 % (facts.yaml:1:33)"], "one profile",
    ),
    "batch_below_micro_batch": (
        "training: {effective_batch: 4, micro_batch: 8}\n", "training: {effective_batch: 8, micro_batch: 8}\n",
        "1:45", ["training.micro_batch 8", "contradicts training.effective_batch 4", "(facts.yaml:1:29)"], "accumulation",
    ),
    "batch_above_all_cards": (
        "training: {effective_batch: 512, micro_batch: 4, gradient_accumulation: 8}\ngpu.count: 8\n",
        "training: {effective_batch: 256, micro_batch: 4, gradient_accumulation: 8}\ngpu.count: 8\n",
        "2:12", ["gpu.count 8 contradicts training.effective_batch 512", "training.gradient_accumulation 8 (facts.yaml:1:73)"], "one launch file",
    ),
    "batch_below_data_parallel": (
        "training: {effective_batch: 64, micro_batch: 4, gradient_accumulation: 8}\ngpu.count: 8\nparallel: {tensor: 1, pipeline: 2, context: 1}\n",
        "training: {effective_batch: 64, micro_batch: 4, gradient_accumulation: 8}\ngpu.count: 8\nparallel: {tensor: 2, pipeline: 2, context: 1}\n",
        "3:45", ["parallel.context 1 contradicts training.effective_batch 64", "gpu.count 8 (facts.yaml:2:12)"], "leave no size",
    ),
}  # fmt: skip


@lru_cache(maxsize=1)
def rulebook() -> Rulebook:
    return load()


def test_every_contradiction_is_met_here() -> None:
    assert set(TOGETHER) == {c.id for c in rulebook().contradictions}


@pytest.mark.parametrize("name", TOGETHER)
def test_a_contradiction_names_all_places(name: str, tmp_path: Path, refused: Refused, monkeypatch: pytest.MonkeyPatch) -> None:
    text, _, place, words, mend = TOGETHER[name]
    (tmp_path / "facts.yaml").write_text(text)
    refused(["evaluate", "facts.yaml"], [(f"facts.yaml:{place}", "GR313", word, mend) for word in words[:1]], False)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(GpurulesError) as caught:
        evaluate(Path("facts.yaml"), rulebook())
    (problem,) = caught.value.problems
    for word in words:
        assert word in str(problem), problem
    says = next(c.says.en for c in rulebook().contradictions if c.id == name)
    assert problem.message.endswith(says)


@pytest.mark.parametrize("name", TOGETHER)
def test_the_limit_itself_is_none(name: str) -> None:
    assert evaluate(TOGETHER[name][1].encode(), rulebook()).status


@pytest.mark.parametrize("name", TOGETHER)
def test_a_doubt_is_none(name: str) -> None:
    """Each fact alone, or as wide as it may be, contradicts nothing."""
    node = document.parse(TOGETHER[name][0].encode(), "facts")
    plain = document.plain(node)
    assert isinstance(plain, dict)
    flat = {f"{k}.{inner}": v for k, value in plain.items() if isinstance(value, dict) for inner, v in value.items()}
    flat |= {k: v for k, v in plain.items() if not isinstance(v, dict)}
    for path in flat:
        assert evaluate({p: v for p, v in flat.items() if p != path}, rulebook()).status


def test_contradictions_are_told_all_at_once_with_other_faults(tmp_path: Path, refused: Refused) -> None:
    (tmp_path / "facts.yaml").write_text(
        "model.name: Llama-2-7b-hf\nparallel: {tensor: 4, pipeline: 40}\ngpu.count: 4\nnetwork.nodes: 8\n"
        "measured.communication_exposed_share: 40 %\nmeasured.communication_share: 20 %\ninterconnect.kind: single_gpu\nmodel.size_class: 13B\n"
    )
    faults = [
        ("facts.yaml:2:33", "GR313", "parallel.pipeline 40 contradicts model.layers 32 (by model.name, facts.yaml:1:13)", "the number of stages"),
        ("facts.yaml:3:12", "GR313", "gpu.count 4 contradicts parallel.tensor 4 (facts.yaml:2:20) and parallel.pipeline 40 (facts.yaml:2:33)", "GPUs"),
        ("facts.yaml:4:16", "GR313", "network.nodes 8 contradicts gpu.count 4 (facts.yaml:3:12)", "over all nodes"),
        ("facts.yaml:6:31", "GR313", "measured.communication_share 20 % contradicts measured.communication_exposed_share 40 %", "one profile"),
        ("facts.yaml:7:20", "GR313", "interconnect.kind none, a single GPU contradicts gpu.count 4 (facts.yaml:3:12)", "name the link"),
        ("facts.yaml:8:19", "GR310", "model.size_class is stated as 13B, but model.name 'Llama-2-7b-hf' (facts.yaml:1:13) has 7B", "correct one"),
    ]
    refused(["evaluate", "facts.yaml"], faults[1:], False)  # nothing is looked up by a name that contradicts
    text = (tmp_path / "facts.yaml").read_text()
    (tmp_path / "facts.yaml").write_text(text.replace("model.size_class: 13B\n", ""))
    refused(["evaluate", "facts.yaml"], faults[:-1], False)
    (tmp_path / "facts.yaml").write_text(text.replace("model.size_class: 13B", "foo: 1"))
    refused(["evaluate", "facts.yaml"], [*faults[1:-1], ("facts.yaml:8:1", "GR301", "unknown fact 'foo'", "")], False)


def test_a_setting_has_its_own_place(tmp_path: Path, refused: Refused) -> None:
    (tmp_path / "facts.yaml").write_text("parallel.tensor: 8\n")
    refused(["evaluate", "facts.yaml", "--set", "gpu.count=4"], [("facts.yaml:1:18", "GR313", "gpu.count 4 (--set gpu.count)", "")], False)


def test_a_count_in_a_name_contradicts_at_the_name(tmp_path: Path, refused: Refused) -> None:
    (tmp_path / "facts.yaml").write_text("gpu.name: 4x L40S\nparallel.tensor: 8\n")
    refused(["evaluate", "facts.yaml"], [("facts.yaml:2:18", "GR313", "parallel.tensor 8 contradicts gpu.count 4 (facts.yaml:1:11)", "")], False)


def test_no_model_of_the_catalogue_contradicts_itself() -> None:
    for entry in rulebook().catalogs["model"].entries.values():
        stated = {"model.name": entry.name} | {path: v.text for path, v in entry.values.items() if path in rulebook().vocabulary.facts}
        assert "model.name" in facts.read(document.parse(json.dumps(stated).encode(), entry.id), rulebook()).known


# ---------------------------------------------------------------- declarations

ENTRY = """
facts:
- {path: a.count, title: {en: a, zh: 甲}, type: number, unit: "1", range: [1, 10], kind: observed}
- {path: b.count, title: {en: b, zh: 乙}, type: number, unit: "1", range: [1, 10], kind: observed}
- {path: candidate.count, title: {en: c, zh: 丙}, type: number, unit: "1", range: [1, 10], kind: choice}
contradictions:
- {id: one, when: a.count > b.count, says: {en: no, zh: 否}, mend: {en: do, zh: 改}}
"""


@pytest.mark.parametrize(
    ("old", "new", "code", "message"),
    [
        ("when: a.count > b.count", "when: a.count >", "GR100", "not an expression"),
        ("b.count, says", "c.count, says", "GR101", "unknown fact 'c.count'"),
        ("> b.count", "> 7", "GR102", "bare number 7"),
        ("> b.count", "+ b.count", "GR104", "where a condition is wanted"),
        ("> b.count", "> candidate.count", "GR201", "reads 'candidate.count', which nobody states"),
        ("id: one, ", "", "GR201", "has other keys than its own"),
        ("zh: 改}}", "zh: 改}, level: stop}", "GR201", "has other keys than its own"),
        ("says: {en: no, zh: 否}", "says: {en: no}", "GR201", "a text needs en: and zh: alone"),
        ("zh: 改}}", "zh: 改}, slack: 5 GB}", "GR201", "slack is no share"),
        ("zh: 改}}", "zh: 改}, slack: much}", "GR201", "is not a quantity"),
        ("zh: 改}}", "zh: 改}}\n- {id: one, when: a.count < b.count, says: {en: no, zh: 否}, mend: {en: do, zh: 改}}", "GR201", "stands twice"),
    ],
)
def test_a_declaration_with_a_fault(old: str, new: str, code: str, message: str) -> None:
    assert old in ENTRY
    texts = {"v.yaml": document.parse(ENTRY.replace(old, new).encode(), "v.yaml")}
    words = vocabulary.load(texts, {"card": {}, "model": {}})
    with pytest.raises(GpurulesError) as caught:
        contradiction.load(texts, words)
    (problem,) = caught.value.problems
    assert problem.code == code and message in problem.message and re.fullmatch(r"v\.yaml:\d+:\d+", str(problem.place)), problem


@pytest.mark.parametrize(("range_", "fault"), [("[1, 10]", True), ("[0, 10]", False), ("[-5, 5]", False)])
def test_a_sum_holds_nothing(range_: str, fault: bool) -> None:
    """The sum of no rules is 0, which the range must allow."""
    text = f"facts:\n- {{path: a.sum, title: {{en: a, zh: 甲}}, type: number, unit: '1', range: {range_}, kind: derived, combine: sum}}\n"
    texts = {"v.yaml": document.parse(text.encode(), "v.yaml")}
    if not fault:
        assert vocabulary.load(texts, {"card": {}, "model": {}}).facts
        return
    with pytest.raises(GpurulesError) as caught:
        vocabulary.load(texts, {"card": {}, "model": {}})
    assert "its range leaves out 0" in str(caught.value)
