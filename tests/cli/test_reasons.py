"""`gpurules explain` and `gpurules why-not` as processes: from facts and from kept decisions, in all formats, and what they refuse."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest
from answers import answered, branches

Run = Callable[..., "CompletedProcess[str]"]
FACTS = "workload.task: lora\nmodel.size_class: 7B\ngpu.count: 4\nmeasured.communication_share: 34 %\n"
CONTROL = re.compile(r"[\x00-\x09\x0b-\x1f\x7f\u202a-\u202e\u2066-\u2069]")


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A decision as JSON, with the facts file beside it."""
    import gpurules

    folder = tmp_path_factory.mktemp("kept")
    (folder / "facts.yaml").write_text(FACTS, "utf-8")
    (folder / "decision.json").write_text(gpurules.evaluate(folder / "facts.yaml").to_json(), "utf-8")
    return folder


def test_explain_goes_down_to_facts_parameters_claims_and_documents(run: Run, kept: Path) -> None:
    text = answered(run("explain", "facts.yaml", "COM-001", cwd=kept))
    for words in ("COM-001", "34 % > 30 %", "facts.yaml:4:31", "parameter since 2026-01-01", "A04: ", "https://"):
        assert words in text, words


def test_a_kept_decision_is_explained_as_its_facts_are(run: Run, kept: Path) -> None:
    from_facts = json.loads(answered(run("explain", "facts.yaml", "COM-001", "--format", "json", cwd=kept)))
    from_decision = json.loads(answered(run("explain", "decision.json", "COM-001", "--format", "json", cwd=kept)))
    kinds = [[b["kind"] for b in branches(trees)] for trees in (from_facts, from_decision)]
    assert kinds[0] == kinds[1]


def test_a_decision_alone_is_explained_without_its_rulebook(run: Run, kept: Path) -> None:
    """The values and claims are in it; that the parameters' dates are not is said."""
    document = json.loads((kept / "decision.json").read_text("utf-8"))
    document["rulebook"]["digest"] = "sha256:" + "0" * 64
    text = answered(run("explain", "-", "COM-001", stdin=json.dumps(document)))
    assert "34 % > 30 %" in text and "A04: " in text and "not at hand" in text and "parameter since" not in text


@pytest.mark.parametrize("about", ["COM-001#1", "gpu.count", "memory.rule_of_thumb", "add_cards", "stated"])
def test_what_may_be_explained(run: Run, kept: Path, about: str) -> None:
    assert answered(run("explain", "decision.json", about, cwd=kept))


def test_everything_is_explained_three_levels_deep(run: Run, kept: Path) -> None:
    trees = json.loads(answered(run("explain", "decision.json", "--format", "json", cwd=kept)))
    assert len(trees) >= len(json.loads((kept / "decision.json").read_text("utf-8"))["conclusions"])
    assert "left_out" in json.dumps(trees)


def test_depth(run: Run, kept: Path) -> None:
    assert len(answered(run("explain", "decision.json", "COM-001", "--depth", "0", cwd=kept)).splitlines()) == 1


@pytest.mark.parametrize("command", ["explain", "why-not"])
def test_formats_and_languages(run: Run, kept: Path, command: str) -> None:
    assert answered(run(command, "facts.yaml", "COM-001", "--format", "markdown", cwd=kept)).startswith("- ")
    assert "确定" in answered(run(command, "facts.yaml", "COM-001", "--lang", "zh", cwd=kept))
    assert max(map(len, answered(run(command, "facts.yaml", "COM-001", "--width", "70", cwd=kept)).splitlines())) <= 70


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("explain", "facts.yaml", "COM-999"), "GR312"),
        (("explain", "facts.yaml", "COM-001#7"), "GR312"),
        (("explain", "none.yaml", "COM-001"), "No such file"),
        (("why-not", "facts.yaml", "COM-999"), "GR312"),
        (("why-not", "facts.yaml", "COM-001", "--fixed", "gpu.cuont"), "GR312"),
    ],
)
def test_what_is_refused(run: Run, kept: Path, arguments: tuple[str, ...], code: str) -> None:
    done = run(*arguments, cwd=kept)
    assert (done.returncode, done.stdout) == (2, "")
    assert code in done.stderr


def test_a_damaged_decision_is_refused(run: Run, kept: Path) -> None:
    document = json.loads((kept / "decision.json").read_text("utf-8"))
    del document["rules"]
    done = run("explain", "-", "COM-001", stdin=json.dumps(document))
    assert (done.returncode, done.stdout) == (2, "")
    assert re.search(r"GR8\d\d is no whole decision", done.stderr)


def test_why_not_of_another_rulebook_is_refused(run: Run, kept: Path) -> None:
    document = json.loads((kept / "decision.json").read_text("utf-8"))
    document["rulebook"]["digest"] = "sha256:" + "0" * 64
    done = run("why-not", "-", "COM-001", stdin=json.dumps(document))
    assert (done.returncode, done.stdout) == (2, "")
    assert "GR841" in done.stderr


def found(run: Run, kept: Path, *arguments: str) -> list[dict[str, Any]]:
    return list(branches(json.loads(answered(run("why-not", *arguments, "--format", "json", cwd=kept)))))


def test_a_flip_is_what_evaluate_says(run: Run, kept: Path) -> None:
    """The change that why-not proposes, given to evaluate, silences the rule; the step before it does not."""
    moves = [b for b in found(run, kept, "facts.yaml", "COM-001", "--movable", "measured.communication_share", "--fixed", "gpu.count") if b["kind"] == "move"]
    assert {"fact": "measured.communication_share", "to": "0.3", "how": "change"}.items() <= moves[-1].items()
    for value, speaks in (("0.3", False), ("0.301", True)):
        document = json.loads(answered(run("evaluate", "facts.yaml", "--format", "json", "--set", f"measured.communication_share={value}", cwd=kept)))
        assert ("COM-001" in {c["rule"] for c in document["conclusions"]}) is speaks


def test_settling_and_changing_are_told_apart(run: Run, kept: Path) -> None:
    moves = {b["how"]: b["fact"] for b in found(run, kept, "decision.json", "COM-001") if b["kind"] == "move"}
    assert moves == {"settle": "measured.communication_exposed_share", "change": "gpu.count"}


def test_none_is_said_to_be_none(run: Run, kept: Path) -> None:
    text = answered(run("why-not", "facts.yaml", "COM-001", "--fixed", "gpu.count", "--fixed", "workload.task", cwd=kept))
    assert "no fact that may be moved has a part in it" in text


def test_what_an_open_fact_settles_is_told_stretch_by_stretch(run: Run) -> None:
    text = answered(run("why-not", "-", "DAT-001", stdin="workload.task: lora\nmodel.size_class: 7B\n"))
    assert re.search(r"≤ 20 %: does not stand\n.*≥ 20\.1 %: certain", text)


def test_a_rejected_card_tells_every_requirement(run: Run, kept: Path) -> None:
    """Each rule that rejects it, with the comparison that decides."""
    stated = "workload.task: full_finetune\nmodel.size_class: 7B\ntraining.precision: bf16_mixed\n"
    told = list(branches(json.loads(answered(run("why-not", "-", "2xl40s/pcie/sharded", "--format", "json", "--budget", "50", stdin=stated)))))
    assert {b["rule"] for b in told if b["kind"] == "rejection"} == {"FIT-009", "NET-001"}
    assert any("candidate.interconnect" in b["text"]["en"] and "decides" in b["text"]["en"] for b in told)


def test_hostile_text_stays_text(run: Run) -> None:
    stated = FACTS + 'model.name: "\\e[31mLlama\\u202e{{ 7 * 7 }}[bold]<b>x</b>[/bold]"\n'
    for arguments in (("explain", "-", "model.name"), ("explain", "-", "model.name", "--format", "markdown"), ("why-not", "-", "MEM-054", "--budget", "20")):
        done = run(*arguments, stdin=stated.replace("model.size_class: 7B\n", ""))
        assert done.returncode == 0 and done.stdout
        assert not CONTROL.search(done.stdout + done.stderr)
        assert "<b>" not in done.stdout or arguments[-1] != "markdown"


def test_what_if_over_a_list_and_a_range(run: Run, kept: Path) -> None:
    """A table of decisions for listed values; for a range the boundary, and the rules that change there."""
    table = json.loads(answered(run("what-if", "facts.yaml", "--vary", "gpu.count=1,2,4", "--no-machines", "--format", "json", cwd=kept)))
    assert {row["decision"] for row in table["rows"]} == set(table["decisions"])
    assert [row["set"] for row in table["rows"]] == [{"gpu.count": "1"}, {"gpu.count": "2"}, {"gpu.count": "4"}]
    [tree] = json.loads(answered(run("what-if", "facts.yaml", "--vary", "measured.communication_share=0..1", "--no-machines", "--format", "json", cwd=kept)))
    starts = {s["from"]: {c["rule"] for c in s.get("children", ()) if c["kind"] == "change"} for s in tree["children"]}
    assert "COM-001" in starts["0.301"]


def test_what_if_over_two_ranges(run: Run, kept: Path) -> None:
    """A map, and rectangles that have one decision each; borders that hang on one fact are exact to its step."""
    vary = ("--vary", "measured.communication_share=0..1", "--vary", "measured.gpu_utilization=0..1", "--no-machines")
    [made] = json.loads(answered(run("what-if", "facts.yaml", *vary, "--format", "json", cwd=kept)))
    assert made["vary"] == ["measured.communication_share", "measured.gpu_utilization"] and made["decided"] == 1
    assert sum(one["share"] for one in made["decisions"].values()) == pytest.approx(1)
    met = {(b["fact"], b["from"], b["to"]) for b in made["borders"]}
    assert ("measured.communication_share", "0.3", "0.301") in met
    text = answered(run("what-if", "facts.yaml", *vary, "--lang", "zh", cwd=kept))
    assert "measured.gpu_utilization ↑" in text and "COM-001" in text and "\x1b" not in text
    planes = json.loads(answered(run("what-if", "facts.yaml", *vary, "--vary", "gpu.count=2,4", "--format", "json", cwd=kept)))
    assert [one["set"] for one in planes] == [{"gpu.count": "2"}, {"gpu.count": "4"}]


def test_what_if_names_machines_and_why_facts_contradict_each_other(run: Run, kept: Path) -> None:
    done = answered(run("what-if", "facts.yaml", "--vary", "network.nodes=1..64", cwd=kept))
    assert "network.nodes" in done and "every node has at least one GPU" in done


@pytest.mark.parametrize(
    ("vary", "code"),
    [
        (("gpu.count",), "GR311"),
        (("gpu.cuont=1",), "GR301"),
        (("gpu.count=1,x",), "GR303"),
        (("gpu.count=1..4", "gpu.count=2"), "GR311"),
        (("gpu.count=1..4", "measured.communication_share=0..1", "measured.gpu_utilization=0..1"), "GR311"),
        (("gpu.count=4..1",), "GR303"),
        (("measured.communication_share=0..30",), "GR304"),
        (("training.precision=bf16_mixed..fp32",), "GR306"),
        (("candidate.fit=fits",), "GR301"),
    ],
)
def test_what_if_refuses(run: Run, kept: Path, vary: tuple[str, ...], code: str) -> None:
    done = run("what-if", "facts.yaml", *(part for text in vary for part in ("--vary", text)), cwd=kept)
    assert (done.returncode, done.stdout) == (2, "")
    assert code in done.stderr
