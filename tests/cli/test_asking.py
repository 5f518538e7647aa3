"""explain, why-not and what-if of another decision than the file alone makes: --set, --date, waivers, and machines of the catalogue."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest
from answers import answered, branches

import gpurules

Run = Callable[..., "CompletedProcess[str]"]
FACTS = "workload.task: full_finetune\nmodel.size_class: 7B\ntraining.precision: bf16_mixed\ngpu.name: 2x RTX 4090\n"
WAIVERS = "waivers:\n- {rule: FIT-009, who: head of platform, why: on loan, until: 2999-12-31}\n"


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A decision that recommends machines, its facts file, and the same decision of another rulebook."""
    folder = tmp_path_factory.mktemp("asking")
    (folder / "facts.yaml").write_text(FACTS, "utf-8")
    decision = gpurules.evaluate(folder / "facts.yaml")
    (folder / "decision.json").write_text(decision.to_json(), "utf-8")
    other = {**decision.document, "rulebook": {**decision.document["rulebook"], "digest": "sha256:" + "0" * 64}}
    (folder / "other.json").write_text(json.dumps(other), "utf-8")
    return folder


@pytest.mark.parametrize("source", ["facts.yaml", "decision.json"])
def test_what_is_set_is_explained_as_evaluate_decides_it(run: Run, kept: Path, source: str) -> None:
    setting = ("--set", "model.size_class=70B", "--date", "2026-12-24")
    decided = json.loads(answered(run("evaluate", "facts.yaml", "--format", "json", *setting, cwd=kept)))
    need = next(d for d in decided["derived"] if d["fact"] == "memory.rule_of_thumb")
    [tree] = json.loads(answered(run("explain", source, "memory.rule_of_thumb", "--format", "json", *setting, cwd=kept)))
    assert tree["value"] == need["value"]
    [tree] = json.loads(answered(run("explain", source, "model.size_class", "--format", "json", *setting, cwd=kept)))
    assert (tree["kind"], tree["text"]["en"]) == ("stated", "model.size_class = 70B, stated as “70B”")


@pytest.mark.parametrize("source", ["facts.yaml", "decision.json"])
def test_why_not_answers_of_what_is_set(run: Run, kept: Path, source: str) -> None:
    asked = ("why-not", source, "1x H200 SXM", "--budget", "5")
    assert answered(run(*asked, "--set", "model.size_class=1B", cwd=kept)).startswith("1xh200-sxm-141gb/single_gpu/single: accepted")
    assert answered(run(*asked, "--set", "model.size_class=70B", cwd=kept)).startswith("1xh200-sxm-141gb/single_gpu/single: rejected")


def test_what_if_varies_beside_what_is_set(run: Run, kept: Path) -> None:
    setting = ("--set", "gpu.name=H200 SXM", "--set", "model.size_class=1B")
    table = json.loads(answered(run("what-if", "facts.yaml", "--vary", "gpu.count=1,2", *setting, "--format", "json", cwd=kept)))
    assert [row["machines"] for row in table["rows"]] == [["stated"], ["stated"]]


@pytest.mark.parametrize("command", [("explain", "facts.yaml"), ("why-not", "facts.yaml", "FIT-001"), ("what-if", "facts.yaml", "--vary", "gpu.count=1,2")])
@pytest.mark.parametrize("wrong", [("--set", "gpu.count"), ("--date", "tomorrow"), ("--set", "gpu.count=\x1b[31m\u202e")])
def test_what_may_not_be_set_is_refused(run: Run, kept: Path, command: tuple[str, ...], wrong: tuple[str, str]) -> None:
    done = run(*command, *wrong, cwd=kept)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(wrong[0]) and "\x1b" not in done.stderr and "\u202e" not in done.stderr


def test_another_rulebook_makes_no_other_decision_of_one(run: Run, kept: Path) -> None:
    done = run("explain", "other.json", "stated", "--set", "gpu.count=4", cwd=kept)
    assert (done.returncode, done.stdout) == (2, "") and "GR841" in done.stderr


# ------------------------------------------------------------ machines of the catalogue


@pytest.mark.parametrize("source", ["facts.yaml", "decision.json"])
@pytest.mark.parametrize("which", ["chosen", "nearest_rejected"])
def test_the_figures_of_a_machine_are_derived_down_to_catalogue_and_facts(run: Run, kept: Path, source: str, which: str) -> None:
    machine = json.loads((kept / "decision.json").read_text("utf-8"))["choice"][which][0]
    found = list(branches(json.loads(answered(run("explain", source, machine["id"], "--format", "json", cwd=kept)))))
    for path, figure in machine["figures"].items():
        assert any(b.get("fact") == path and b["text"]["en"].startswith(f"{path} = {figure['shown']['en'].split(':')[0]}") for b in found), path
    derived = {b["fact"] for b in found if b["kind"] == "derived" and b.get("children")}
    assert {"candidate.memory_need", "candidate.fit", "candidate.power", "memory.rule_of_thumb"} <= derived
    assert {b["kind"] for b in found} >= {"stated", "catalogue", "parameter", "document"}
    assert any("facts" in b["text"]["en"] and ":2:19" in b["text"]["en"] for b in found if b["kind"] == "stated")


@pytest.mark.parametrize("source", ["facts.yaml", "decision.json"])
def test_a_machine_that_the_decision_does_not_tell_of(run: Run, kept: Path, source: str) -> None:
    text = answered(run("explain", source, "2x H100 NVL", "--depth", "2", cwd=kept))
    assert text.startswith("2xh100-nvl-94gb/") and "candidate.memory_need = " in text and "FIT-009" in text


def test_without_the_rulebook_that_decided_figures_stand_alone_and_it_is_said(run: Run, kept: Path) -> None:
    machine = json.loads((kept / "other.json").read_text("utf-8"))["choice"]["chosen"][0]
    text = answered(run("explain", "other.json", f"{machine['count']}x {machine['card']['name']}", cwd=kept))
    assert "candidate.memory_need = " in text and "how they came about cannot be shown" in " ".join(text.split())
    done = run("explain", "other.json", "2x H100 NVL", cwd=kept)
    assert done.returncode == 2 and "needs the rulebook that decided, which is not at hand" in done.stderr


# ------------------------------------------------------------ waivers


@pytest.fixture
def waived(run: Run, tmp_path: Path) -> Path:
    (tmp_path / "facts.yaml").write_text(FACTS, "utf-8")
    (tmp_path / "facts.waivers.yaml").write_text(WAIVERS, "utf-8")
    (tmp_path / "decision.json").write_text(answered(run("evaluate", "facts.yaml", "--format", "json")), "utf-8")
    return tmp_path


@pytest.mark.parametrize("source", ["facts.yaml", "decision.json"])
@pytest.mark.parametrize("further", [(), ("--set", "gpu.count=3")])
@pytest.mark.parametrize("asked", [("explain", "FIT-009"), ("why-not", "stated", "--budget", "5")])
def test_explain_and_why_not_say_what_is_waived(run: Run, waived: Path, source: str, further: tuple[str, ...], asked: tuple[str, ...]) -> None:
    text = answered(run(asked[0], source, *asked[1:], *further, cwd=waived))
    assert "waived by head of platform until 2999-12-31: on loan" in text


def test_an_expired_waiver_waives_nothing_in_an_explanation(run: Run, waived: Path) -> None:
    (waived / "facts.waivers.yaml").write_text(WAIVERS.replace("2999", "2020"), "utf-8")
    assert "waived by" not in answered(run("explain", "facts.yaml", "FIT-009", cwd=waived))


# ------------------------------------------------------------ kept decisions


@pytest.mark.parametrize("names", ["2x RTX 4090", "[RTX 4090, RTX 3090]", "RTX 4090 or RTX 3090"])
def test_names_of_a_kept_decision_are_stated_again(run: Run, tmp_path: Path, names: str) -> None:
    (tmp_path / "facts.yaml").write_text(FACTS.replace("2x RTX 4090", names), "utf-8")
    (tmp_path / "decision.json").write_text(answered(run("evaluate", "facts.yaml", "--format", "json")), "utf-8")
    assert answered(run("replay", "decision.json")) == "decision.json: identical\n"
    assert answered(run("why-not", "decision.json", "COM-001", "--budget", "2"))
