"""The HTML report as text: one file, well formed, the same bytes each time, with nothing from elsewhere and no markup but its own."""

from __future__ import annotations

import base64
import copy
import hashlib
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pages
import pytest
from click.testing import CliRunner

from gpurules.cli.main import cli
from gpurules.engine import evaluate, public
from gpurules.engine.decisions import kept
from gpurules.engine.decisions.decision import Document
from gpurules.engine.reports.branch import Branch
from gpurules.engine.reports.charts import StackReader, rounded_up
from gpurules.engine.reports.cost_charts import CostChartReader
from gpurules.engine.reports.derivation_tree import Derivation
from gpurules.engine.reports.grounds import Ground, GroundsReader
from gpurules.engine.reports.html import html
from gpurules.engine.reports.page_phrases import PAGE
from gpurules.engine.reports.report import report
from gpurules.engine.values.problem import GpurulesError

HERE = Path(__file__).parent
EXAMPLES = sorted((HERE.parents[1] / "examples").glob("*.yaml"))
STEPS, COST, PLAIN = "7b-full-8xa100-40gb-steps", "8xh100-rent-or-buy", "7b-full-4x4090"

HOSTILE = [
    "<script>document.title='hit'</script>", "\"><img src=x onerror=document.title='hit'>", "' onmouseover='document.title=1' x='",
    "</style><style>*{display:none}", "{{ 7 * 191 }}", "{% for x in [1] %}hit{% endfor %}", "{{ cycler.__init__.__globals__ }}",
    "\u202etxet desrever\u202c", "\u2066isolated\u2069\u200f", "\x1b[31mred\x07", "<!-- ", "]]>", "&lt;b&gt;", "javascript:document.title='hit'", "\ud800",
]  # fmt: skip
KEPT_WHOLE = {
    "format", "status", "rule", "fact", "id", "path", "origin", "kind", "level", "state", "verdict", "verdict_assuming", "truth", "truth_assuming",
    "stands", "stands_assuming", "met", "cost", "costs", "via", "topic", "source", "cheaper", "between", "cites", "rules", "claim", "action", "machine",
    "confidence", "members", "causes", "needs", "asked_by", "settles", "digest", "facts_digest", "rulebook", "engine", "assuming",
}  # fmt: skip
"""Keys of a decision whose texts are looked up elsewhere in it, or are one of a few words."""


def decision(stem: str) -> Document:
    if stem not in _made:
        _made[stem] = evaluate(next(e for e in EXAMPLES if e.stem == stem)).document
    return _made[stem]


_made: dict[str, Document] = {}


@pytest.fixture(params=[PLAIN, COST, STEPS, "nothing-measured", "10b-lora-2x24gb"])
def document(request: pytest.FixtureRequest) -> Document:
    return decision(request.param)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_page_is_well_formed_and_its_links_lead_somewhere(document: Document, language: str) -> None:
    page = pages.Page(html(document, language))
    ids = page.values("id")
    assert page.faults == [] and page.open == []
    assert len(set(ids)) == len(ids)
    within = [link[1:] for link in page.values("href") if link.startswith("#")]
    assert set(within) <= set(ids)
    assert page.elements[0] == ("html", {"lang": {"en": "en", "zh": "zh-Hans"}[language]})
    for name in ("aria-labelledby", "aria-describedby"):
        assert set(page.values(name)) <= set(ids)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_page_tells_all_that_the_report_tells(document: Document, language: str) -> None:
    text = re.sub(r"\s", "", pages.Page(html(document, language)).text)
    for section in report(document, language):
        assert re.sub(r"\s", "", section.title if section.key != "compare" else PAGE["compare"].get(language)) in text
        for block in section.blocks if section.key not in ("compare", "sources", "trace") else ():
            for item in getattr(block, "items", ()):
                assert re.sub(r"\s", "", item.text) in text
    for claim in document["claims"].values():
        assert re.sub(r"\s", "", claim["says"][language]) in text
    assert document["facts_digest"] in text and document["rulebook"]["digest"] in text


def test_nothing_comes_from_elsewhere(document: Document) -> None:
    page = pages.Page(html(document))
    assert page.values("src") == [] and page.values("style") == [] and page.values("srcset") == []
    assert {tag for tag, _ in page.elements} & {"link", "img", "iframe", "object", "embed", "base", "form", "image", "use", "foreignobject"} == set()
    assert all(link.startswith(("#", "https://", "http://")) for link in page.values("href"))
    assert not [name for _, attributes in page.elements for name in attributes if name.startswith("on")]
    assert "@import" not in page.inside["style"] and re.findall(r"url\(([^)]*)\)", page.inside["style"]) == ["#hatch"]
    policy = next(a["content"] for tag, a in page.elements if a.get("http-equiv") == "Content-Security-Policy")
    assert "default-src 'none'" in policy and "unsafe" not in policy
    assert (page.count("style"), page.count("script")) == (1, 1)
    for name in ("style", "script"):
        digest = base64.b64encode(hashlib.sha256(page.inside[name].encode()).digest()).decode()
        assert f"{name}-src 'sha256-{digest}'" in policy


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_same_decision_gives_the_same_bytes_also_from_a_kept_one(document: Document, language: str) -> None:
    again = json.loads(json.dumps(document, sort_keys=True))
    assert html(document, language) == html(again, language)


# ------------------------------------------------------------ hostile text


def spoiled(value: Any, key: str = "") -> Any:
    """A decision in which every text that is not a key into something else ends in hostile text."""
    if key in KEPT_WHOLE:
        return value
    if isinstance(value, str):
        return value + "".join(HOSTILE)
    if isinstance(value, dict):
        return {k: spoiled(v, k) for k, v in value.items()}
    return [spoiled(v, key) for v in value] if isinstance(value, list) else value


@pytest.mark.parametrize("stem", [PLAIN, COST, STEPS])
def test_hostile_text_stays_text_wherever_it_stands(stem: str) -> None:
    whole, plain = html(spoiled(copy.deepcopy(decision(stem)))), html(decision(stem))
    page, before = pages.Page(whole), pages.Page(plain)
    assert page.faults == []
    assert {tag for tag, _ in page.elements} <= {tag for tag, _ in before.elements}
    assert {name for _, a in page.elements for name in a} <= {name for _, a in before.elements for name in a}
    assert (page.count("script"), page.count("style")) == (1, 1)
    assert page.inside == before.inside
    assert "1337" not in page.text and page.text.count("{{ 7 * 191 }}") > 300
    assert page.text.count("<script>document.title='hit'</script>") > 300
    assert "\\u202etxet desrever" in page.text and "\\x1b[31mred\\x07" in page.text and "\\ud800" in page.text
    assert not re.search("[\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]", whole)
    assert not [link for link in page.values("href") if not link.startswith(("#", "https://", "http://"))]


@pytest.mark.parametrize("text", HOSTILE[:10])
def test_hostile_facts(text: str) -> None:
    facts = {"workload.task": "full_finetune", "training.precision": "bf16_mixed", "model.name": text, "gpu.name": f"RTX 4090 {text}", "gpu.count": 2}
    try:
        page = pages.Page(html(evaluate(facts).document))
    except GpurulesError:
        return  # refused before any page is made
    assert page.faults == [] and page.count("script") == 1 and page.count("img") == 0


# ------------------------------------------------------------ derivation


def steps(grounds: tuple[Ground, ...]) -> Iterator[Ground]:
    for ground in grounds:
        yield ground
        yield from steps(ground.under)


def test_every_figure_of_the_derivation_says_where_it_comes_from(document: Document) -> None:
    reader = GroundsReader(document, "en")
    every = list(steps((*reader.findings(), *reader.further_figures())))
    assert len(every) > 50
    assert all(side.source for ground in every for side in ground.shown)
    anchors = [ground.anchor for ground in every if ground.anchor]
    assert len(set(anchors)) == len(anchors)
    assert {ground.link for ground in every if ground.kind == "rule" and ground.link} <= set(anchors)
    standing = {c["rule"] for c in document["conclusions"] if c["state"] != "depends"}
    assert standing <= {ground.name for ground in every if ground.kind == "rule"}


def test_the_page_and_explain_tell_one_derivation() -> None:
    """What the page opens under a finding are the rules and derived figures of the tree that `gpurules explain` prints."""
    document = decision(PLAIN)
    for conclusion in document["conclusions"]:
        told = list(branches(Derivation(document).conclusion(conclusion)))
        (reader, derivation) = (GroundsReader(document, "en"), Derivation(document))
        opened = list(steps((reader._ground(derivation.conclusion(conclusion)),)))
        for kind, key, shown in (("rule", "id", "rule"), ("derived", "fact", "fact")):
            assert {b.data[key] for b in told if b.kind == kind} == {g.name for g in opened if g.kind == shown and (kind == "rule" or g.name in reader.derived)}


def branches(branch: Branch) -> Iterator[Branch]:
    yield branch
    for child in branch.children:
        yield from branches(child)


def test_a_derivation_reaches_what_was_stated() -> None:
    reader = GroundsReader(decision(PLAIN), "en")
    sources = {side.source for ground in steps(reader.findings()) for side in ground.shown}
    text = next(e for e in EXAMPLES if e.stem == PLAIN).read_text("utf-8").splitlines()
    number, line = next((n, line) for n, line in enumerate(text, 1) if "communication_share" in line)
    assert f"measured.communication_share: stated in the facts file, line {number}, column {line.index('34 %') + 1}" in sources
    assert any(s.startswith("gpu.memory_usable: catalogue by gpu.name") for s in sources)
    assert any("assumed by rule ASM-" in s for s in sources)


# ------------------------------------------------------------ pictures


def test_stacks_fill_what_is_needed_and_no_more(document: Document) -> None:
    stacks = StackReader(document, "en").stacks()
    for stack in stacks.stacks if stacks is not None else ():
        at = 0.0
        for segment in stack.segments:
            assert segment.left == pytest.approx(at, abs=0.01)
            at = segment.left + segment.width
        assert 0 < at <= 100.001 and 0 < stack.capacity <= 100
        assert (stack.fits == "no") == ("short by" in stack.gap and " to " not in stack.gap)


def test_terms_of_a_known_shape_are_drawn_one_by_one() -> None:
    stacks = StackReader(decision(STEPS), "en").stacks()
    assert stacks is not None
    assert [name for _, name in stacks.legend][:2] == ["weights", "optimizer states"]
    assert "activations" in dict(stacks.legend).values()
    assert any(row[0] == "activations" for row in stacks.rows)


def test_cost_lines_meet_where_it_breaks_even() -> None:
    lines = CostChartReader(decision(COST), "en").lines()
    assert lines is not None and lines.even is not None
    assert [line.tone for line in lines.lines] == ["own", "rent"]
    assert lines.lines[1].middle.startswith("0.000,100.000"), "renting begins with nothing spent"
    assert "break-even: 13.9–49.7 months" in lines.summary
    assert lines.even[0] == pytest.approx(100 * 13.9 / 36, abs=0.2)


def test_costs_of_which_nothing_is_known_are_not_drawn() -> None:
    assert CostChartReader(decision(STEPS), "en").lines() is None
    assert CostChartReader(decision(PLAIN), "en").tornado() is None


@pytest.mark.parametrize(("value", "step"), [(0.0, 1.0), (1.0, 1.0), (1.1, 2.0), (2.1, 2.5), (171_090, 200_000), (999, 1000)])
def test_axes_have_round_steps(value: float, step: float) -> None:
    assert rounded_up(value) == step


# ------------------------------------------------------------ commands


def test_commands_print_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    decision(PLAIN)
    monkeypatch.setattr("gpurules.cli.cache.engine", lambda _: public.engine(public._packaged()))  # compiled once, and not for each command
    runner, example = CliRunner(), str(next(e for e in EXAMPLES if e.stem == PLAIN))
    direct = runner.invoke(cli, ["evaluate", example, "--format", "html", "--lang", "zh"], catch_exceptions=False)
    stored = runner.invoke(cli, ["evaluate", example, "--format", "json"], catch_exceptions=False)
    (tmp_path / "decision.json").write_text(stored.stdout, "utf-8")
    again = runner.invoke(cli, ["report", str(tmp_path / "decision.json"), "--format", "html", "--lang", "zh"], catch_exceptions=False)
    assert (direct.exit_code, again.exit_code) == (0, 0)
    assert direct.stdout == again.stdout and direct.stdout.startswith("<!doctype html>\n")


@pytest.mark.parametrize("form", ["text", "markdown"])
def test_a_kept_decision_gives_the_report_it_gave(form: str, document: Document) -> None:
    content = json.dumps(document, sort_keys=True)
    done = CliRunner().invoke(cli, ["report", "-", "--format", form], input=content, catch_exceptions=False)
    assert done.exit_code == 0 and document["rulebook"]["version"] in done.stdout


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "is not JSON"),
        (b"\xff", "is not JSON"),
        (b"gpu.count: 4\n", "is not JSON"),
        (b"[" * 100_000, "is not JSON"),
        (b'{"format": NaN}', "is not JSON"),
        (b"[]", "is JSON, but no decision"),
        (b'{"gpu.count": 4}', "is JSON, but no decision"),
        (b'{"format": "gpurules.decision/9"}', "this version of gpurules reads gpurules.decision/1"),
        (b'{"format": "gpurules.decision/1"}', "is no whole decision: the document: 'ambiguities' is a required property"),
    ],
)
def test_what_is_no_decision_is_refused(content: bytes, says: str) -> None:
    done = CliRunner().invoke(cli, ["report", "-"], input=content, catch_exceptions=False)
    assert done.exit_code == 2 and done.stdout == ""
    assert "GR831" in done.stderr and says in done.stderr


def test_a_decision_cut_anywhere_is_refused_or_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever key is missing or of another type: a report, or a fault with its place; never an exception."""
    monkeypatch.setattr(kept, "_faults", lambda decision, name: [])  # takes seconds, and is tested above
    document = decision(PLAIN)
    others: list[Any] = [7, "text", [{}], {"a": []}]
    for number, key in enumerate(document):
        for other in (None, others[number % 4]):
            try:
                assert kept.made({**document, key: other}, "d.json", html).startswith("<!doctype html>")
            except GpurulesError as error:
                assert [problem.code for problem in error.problems] == ["GR831"]
