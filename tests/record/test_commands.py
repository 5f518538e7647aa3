"""evaluate --record, audit, replay, diff and waivers as commands, on a small rulebook."""

from __future__ import annotations

import io
import json
import shutil
import subprocess
import tarfile
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from jsonschema import Draft202012Validator
from small import FACTS, ROOT, rule, rulebook

from gpurules.cli import stated
from gpurules.cli import store as stores
from gpurules.cli.main import cli
from gpurules.engine.knowledge import rulebook as rulebooks

Gpurules = Callable[..., Result]


@pytest.fixture
def gpurules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Gpurules]:
    """Runs a command in a folder with a small rulebook `a` and facts.yaml; the record is record.sqlite, today is 2026-12-01."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GPURULES_STORE", str(tmp_path / "record.sqlite"))
    monkeypatch.setenv("GPURULES_CACHE", "off")
    monkeypatch.setenv("LANG", "C.UTF-8")
    monkeypatch.setattr(stated, "today", lambda: "2026-12-01")
    rulebook(tmp_path / "a")
    (tmp_path / "facts.yaml").write_text(FACTS, "utf-8")

    def run(*words: str, code: int = 0, stdin: bytes = b"") -> Result:
        done = CliRunner().invoke(cli, words, input=stdin)
        assert done.exit_code == code, done.output
        assert "internal fault" not in done.output
        return done

    yield run


def test_a_decision_is_recorded_shown_and_made_again(gpurules: Gpurules, tmp_path: Path) -> None:
    done = gpurules("evaluate", "facts.yaml", "--rules", "a", "--record", "--set", "gpu.count=4", "--date", "2026-06-01", "--format", "json")
    assert done.stderr.startswith("recorded as 1:sha256:")
    receipt = done.stderr.split()[-1]
    assert gpurules("audit", "verify").stdout == f"1 entry, sound; the last is {receipt}\n"
    assert "audit show 1 --format json > decision.json" in gpurules("explain", "1", "EXA-001", code=2).output
    assert gpurules("audit", "show", "1", "--format", "json").stdout == done.stdout
    assert gpurules("audit", "show", receipt[2:30], "--part", "facts").stdout == FACTS
    shown = gpurules("audit", "show", "1").stdout
    assert "--set gpu.count=4" in shown and "decided for 2026-06-01" in shown and "VERDICT" in shown
    head = json.loads(gpurules("audit", "show", "1", "--part", "head").stdout)
    assert head["hash"] == receipt[2:] and head["entry"]["file"] == "facts.yaml" and head["entry"]["recorded"].endswith("Z")
    gpurules("evaluate", "-", "--rules", "a", "--record", stdin=FACTS.encode())
    assert [line.split("\t")[0] for line in gpurules("audit", "list").stdout.splitlines()] == ["2", "1"]
    assert "2 entries, all sound" in gpurules("audit", "verify", "--expect", receipt).stdout
    assert "expected" in gpurules("audit", "verify", "--expect", "2:" + receipt[2:], code=1).stderr
    shutil.rmtree(tmp_path / "a")  # nothing but the record is needed
    for name in ("1", "2", receipt[2:20]):
        assert "identical" in gpurules("replay", name).stdout
    (tmp_path / "kept.json").write_text(json.dumps(json.loads(done.stdout), indent=1), "utf-8")
    assert "entry 1: identical" in gpurules("replay", "kept.json").stdout


def test_a_decision_alone_is_made_again_where_its_rulebook_is_at_hand(gpurules: Gpurules, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "w.yaml").write_text("waivers:\n- {rule: EXA-001, who: me, why: so, until: 2027-01-01}\n", "utf-8")
    done = gpurules("evaluate", "facts.yaml", "--rules", "a", "--format", "json", "--waivers", "w.yaml", "--set", "gpu.name=RTX 4090")
    (tmp_path / "kept.json").write_text(done.stdout, "utf-8")
    assert "identical" in gpurules("replay", "kept.json", "--rules", "a").stdout
    assert "GR806" in gpurules("replay", "kept.json", code=2).output
    changed = json.loads(done.stdout)
    changed["status"] = "ask"
    (tmp_path / "kept.json").write_text(json.dumps(changed), "utf-8")
    said = gpurules("replay", "kept.json", "--rules", "a", code=1).stdout
    assert "/status" in said and "then: ask" in said
    found = json.loads(gpurules("replay", "kept.json", "--rules", "a", "--format", "json", code=1).stdout)
    assert found["outcome"] == "different" and [d["path"] for d in found["differences"]] == ["/status"]


def test_what_another_rulebook_says_rule_by_rule(gpurules: Gpurules, tmp_path: Path) -> None:
    gpurules("evaluate", "facts.yaml", "--rules", "a", "--record")
    rule(tmp_path / "a", "EXA-001", limit="45 %", version="2.0.0")
    said = gpurules("replay", "1", "--with-current", "--rules", "a").stdout
    assert "entry 1: identical" in said and "− EXA-001: avoid" in said and "1.0.0 yes → 2.0.0 no" in said
    found = json.loads(gpurules("replay", "1", "--with-current", "--rules", "a", "--format", "json").stdout)["current"]
    assert [r["rule"] for r in found["rules"]] == ["EXA-001"] and not found["same"]


def test_other_semantics_are_told(gpurules: Gpurules, monkeypatch: pytest.MonkeyPatch) -> None:
    from gpurules.cli import replay as command
    from gpurules.engine.decisions import decision
    from gpurules.engine.records import replay

    gpurules("evaluate", "facts.yaml", "--rules", "a", "--record")
    monkeypatch.setattr(command, "VERSION", "9.0.0")
    assert "the same decision; engine 0.1.0 then, 9.0.0 now" in gpurules("replay", "1").stdout
    for module in (rulebooks, decision, replay):
        monkeypatch.setattr(module, "SEMANTICS", 9)
    said = gpurules("replay", "1").stdout
    assert "decided under semantics 1; this engine has semantics 9" in said and "the same decision" in said


def test_export_can_be_checked_without_this_program(gpurules: Gpurules) -> None:
    import hashlib

    gpurules("evaluate", "facts.yaml", "--rules", "a", "--record")
    gpurules("evaluate", "-", "--rules", "a", "--record", stdin=b"\xef\xbb\xbf" + FACTS.encode())
    lines = [json.loads(line) for line in gpurules("audit", "export").stdout.splitlines()]
    assert [("rulebook" in line, "entry" in line) for line in lines] == [(True, False), (False, True), (False, True)]
    assert "rules/EXA-001-example.yaml" in lines[0]["files"]
    before = "sha256:" + "0" * 64
    for line in lines[1:]:
        text = json.dumps(line["entry"], ensure_ascii=False, sort_keys=True, separators=(",", ":"))
        assert line["hash"] == "sha256:" + hashlib.sha256(text.encode()).hexdigest()
        assert line["entry"]["previous"] == before
        before = line["hash"]
    assert len(gpurules("audit", "export", "2").stdout.splitlines()) == 2


def test_nothing_recorded_is_a_problem(gpurules: Gpurules) -> None:
    for words in (("audit", "list"), ("audit", "verify"), ("audit", "export"), ("audit", "show", "1"), ("replay", "1")):
        assert "GR801" in gpurules(*words, code=2).output


@pytest.mark.parametrize(
    ("variables", "ends"),
    [
        ({"GPURULES_STORE": "x/y"}, "x/y"),
        ({"XDG_DATA_HOME": "/data", "HOME": "/h"}, "/data/gpurules/record.sqlite"),
        ({"HOME": "/h"}, "/h/.local/share/gpurules/record.sqlite"),
    ],
)
def test_where_the_record_lies(variables: dict[str, str], ends: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("GPURULES_STORE", "XDG_DATA_HOME", "HOME"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(stores.sys, "platform", "linux")
    assert stores.location() == ends


# ---------------------------------------------------------------- waivers

WAIVERS = """\
waivers:
- {rule: EXA-001, who: 'head of <b>platform</b>', why: 'on loan {{ x }}', until: 2026-12-01}
- {rule: EXA-002, who: me, why: so, until: 2026-12-31}
- {rule: EXA-003, who: you, why: once, until: 2026-11-30}
"""


def test_waivers_beside_the_facts_are_shown_and_counted(gpurules: Gpurules, tmp_path: Path) -> None:
    gpurules("evaluate", "facts.yaml", "--rules", "a", "--fail-on", "avoid", code=1)
    (tmp_path / "facts.waivers.yaml").write_text(WAIVERS, "utf-8")
    shown = gpurules("evaluate", "facts.yaml", "--rules", "a", "--fail-on", "avoid", "--record").stdout
    for text in ("waived by head of <b>platform</b> until 2026-12-01: on loan {{ x }}", "WAIVERS", "Accepted by waiver", "nothing to waive", "expired"):
        assert text in " ".join(shown.split()), text
    gpurules("evaluate", "facts.yaml", "--rules", "a", "--fail-on", "caution", code=1)
    document = json.loads(gpurules("evaluate", "facts.yaml", "--rules", "a", "--format", "json").stdout)
    assert [w["state"] for w in document["waivers"]["entries"]] == ["used", "unused", "expired"]
    assert [c["rule"] for c in document["conclusions"] if "waived" in c] == ["EXA-001"]
    schema = json.loads((ROOT / "schemas/decision.schema.json").read_text("utf-8"))
    assert list(Draft202012Validator(schema).iter_errors(document)) == []
    assert "<b>" not in gpurules("evaluate", "facts.yaml", "--rules", "a", "--format", "markdown").stdout
    assert "豁免" in gpurules("evaluate", "facts.yaml", "--rules", "a", "--lang", "zh").stdout
    assert gpurules("audit", "show", "1", "--part", "waivers").stdout == WAIVERS
    assert "identical" in gpurules("replay", "1").stdout


def test_a_waiver_ends_with_its_day(gpurules: Gpurules, tmp_path: Path) -> None:
    (tmp_path / "facts.waivers.yaml").write_text("waivers:\n- {rule: EXA-001, who: me, why: so, until: 2026-12-01}\n", "utf-8")
    for date, code in (("2026-12-01", 0), ("2026-12-02", 1)):
        gpurules("evaluate", "facts.yaml", "--rules", "a", "--fail-on", "avoid", "--date", date, code=code)


def test_a_waiver_changes_neither_status_nor_any_other_part(gpurules: Gpurules, tmp_path: Path) -> None:
    before = json.loads(gpurules("evaluate", "facts.yaml", "--rules", "a", "--format", "json").stdout)
    (tmp_path / "w").write_text(WAIVERS, "utf-8")
    after = json.loads(gpurules("evaluate", "facts.yaml", "--rules", "a", "--format", "json", "--waivers", "w").stdout)
    del after["waivers"]
    for conclusion in after["conclusions"]:
        conclusion.pop("waived", None)
    assert before == after


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("waivers:\n- {rule: EXA-009, who: me, why: so, until: 2027-01-01}\n", ":2:10: GR852"),
        ("waivers:\n- {rule: EXA-001, who: me, why: so, until: 2027-02-30}\n", ":2:44: GR851"),
        ("waivers:\n- {rule: EXA-001, who: me, until: 2027-02-03}\n", "GR851"),
        ("waivers:\n- {rule: EXA-001, who: '', why: so, until: 2027-02-03}\n", "GR851"),
        ("waivers: []\n", "GR851"),
        ("waiver:\n- {rule: EXA-001, who: me, why: so, until: 2027-02-03}\n", "GR851"),
        ("- a\n", "GR851"),
        ("a: [\n", "GR003"),
    ],
)
def test_wrong_waivers(gpurules: Gpurules, tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "facts.waivers.yaml").write_text(text, "utf-8")
    assert said in gpurules("evaluate", "facts.yaml", "--rules", "a", code=2).output


def test_waivers_that_were_named_must_be_there(gpurules: Gpurules) -> None:
    assert "GR001" in gpurules("evaluate", "facts.yaml", "--rules", "a", "--waivers", "none.yaml", code=2).output


def test_the_gate_says_what_fails_it_and_what_is_waived(gpurules: Gpurules, tmp_path: Path) -> None:
    assert "--fail-on avoid: EXA-001 avoid, certain\n" in gpurules("evaluate", "facts.yaml", "--rules", "a", "--fail-on", "avoid", code=1).stderr
    (tmp_path / "facts.waivers.yaml").write_text(WAIVERS, "utf-8")
    told = gpurules("evaluate", "facts.yaml", "--rules", "a", "--fail-on", "caution", "--date", "2026-12-01", code=1).stderr
    assert "--fail-on caution: waiver of EXA-001 by head of <b>platform</b> until 2026-12-01 (on loan {{ x }}): used\n" in told
    assert "caution: EXA-002 caution, its waiver is unused\n" in told and "caution: EXA-003 caution, its waiver is expired\n" in told
    assert "EXA-001 avoid" not in told


def test_record_and_replay_tell_of_waivers(gpurules: Gpurules, tmp_path: Path) -> None:
    (tmp_path / "facts.waivers.yaml").write_text(WAIVERS, "utf-8")
    gpurules("evaluate", "facts.yaml", "--rules", "a", "--record", "--date", "2026-12-01")
    (tmp_path / "d.json").write_text(gpurules("evaluate", "facts.yaml", "--rules", "a", "--format", "json", "--date", "2026-12-01").stdout, "utf-8")
    (tmp_path / "a/rules/EXA-001-example.yaml").unlink()
    assert "with waivers, judged as of 2026-12-01" in gpurules("audit", "show", "1").stdout
    line = "waiver of EXA-001 by head of <b>platform</b> until 2026-12-01 (on loan {{ x }}): "
    for name in ("1", "d.json"):
        told = gpurules("replay", name, "--with-current", "--rules", "a").stdout
        assert f"  {line}used\n" in told and f"  {line}used → unused\n" in told, "a rule that is gone leaves its waiver unused"
    found = json.loads(gpurules("replay", "1", "--with-current", "--rules", "a", "--format", "json").stdout)
    assert [(w["rule"], w["then"], w["now"]) for w in found["current"]["waivers"]][:2] == [("EXA-001", "used", "unused"), ("EXA-002", "unused", "unused")]
    (exported,) = [e for e in map(json.loads, gpurules("audit", "export").stdout.splitlines()) if "entry" in e]
    assert exported["waivers"] == WAIVERS and [w["state"] for w in exported["decision"]["waivers"]["entries"]] == ["used", "unused", "expired"]


# ---------------------------------------------------------------- diff


@pytest.fixture
def pair(gpurules: Gpurules, tmp_path: Path) -> Gpurules:
    """A second rulebook `b`: a limit moved, one rule gone, one new; and three facts files."""
    b = rulebook(tmp_path / "b", "2.0.0")
    rule(b, "EXA-001", limit="45 %", version="2.0.0")
    (b / "rules/EXA-003-example.yaml").unlink()
    rule(b, "EXA-004", when="gpu.count > 1 and measured.communication_share > limit", limit="90 %")
    (tmp_path / "facts").mkdir()
    for name, share in (("low", "20 %"), ("middle", "40 %"), ("high", "80 %")):
        (tmp_path / f"facts/{name}.yaml").write_text(FACTS.replace("40 %", share), "utf-8")
    (tmp_path / "facts/high.waivers.yaml").write_text("waivers:\n- {rule: EXA-001, who: me, why: so, until: 2999-12-31}\n", "utf-8")
    return gpurules


def test_rules_and_parameters(pair: Gpurules) -> None:
    found = json.loads(pair("diff", "a", "b", "--format", "json").stdout)
    assert [(c["rule"], c["change"]) for c in found["rules"]] == [("EXA-001", "changed"), ("EXA-003", "removed"), ("EXA-004", "added")]
    (parameter,) = found["rules"][0]["parameters"]
    assert (parameter["name"], parameter["before"]["value"], parameter["after"]["value"]) == ("limit", "30 %", "45 %")
    assert found["data"] == [] and found["changed"] == []
    same = json.loads(pair("diff", "a", "a", "--format", "json", "--facts", "facts").stdout)
    assert same["rules"] == [] and same["decided"] == 3 and same["changed"] == []


def test_decisions_that_change_and_why(pair: Gpurules) -> None:
    found = json.loads(pair("diff", "a", "b", "--facts", "facts", "--format", "json").stdout)
    why = {c["facts"]: (c["because"], c["possibly"]) for c in found["changed"]}
    assert why == {"low.yaml": (["EXA-003"], []), "middle.yaml": (["EXA-001"], [])}
    assert found["decided"] == 3 and found["undecided"] == []
    text = pair("diff", "a", "b", "--facts", "facts", "--lang", "en").stdout
    assert "parameter limit: 30 % → 45 %" in text and "because of EXA-001" in text and "2 of 3 decisions change" in text
    markdown = pair("diff", "a", "b", "--facts", "facts", "--format", "markdown").stdout
    assert markdown.startswith("## Rulebook 1.0.0") and "### Decisions that change" in markdown


def test_waivers_that_lose_what_they_waive(pair: Gpurules, tmp_path: Path) -> None:
    (tmp_path / "facts/middle.waivers.yaml").write_text("waivers:\n- {rule: EXA-001, who: '<b>me</b>', why: '[so](x)', until: 2026-12-31}\n", "utf-8")
    asked = ("diff", "a", "b", "--facts", "facts", "--date", "2026-12-01")
    text = pair(*asked).stdout
    assert "EXA-001 avoid scaling/add_cards, certain; waived by <b>me</b> until 2026-12-31" in text
    assert "- middle.yaml: waiver of EXA-001 by <b>me</b> until 2026-12-31 ([so](x)): used → unused" in text
    assert "- high.yaml: waiver of EXA-001 by me until 2999-12-31 (so): used\n" in text
    markdown = pair(*asked, "--format", "markdown").stdout
    assert "### Waivers" in markdown and "<b>" not in markdown and "[so](x)" not in markdown
    found = json.loads(pair(*asked, "--format", "json").stdout)
    assert [(w["facts"], w["before"], w["after"]) for w in found["waivers"]] == [("high.yaml", "used", "used"), ("middle.yaml", "used", "unused")]
    assert found["changed"][1]["gone"][0]["waived"]["who"] == "<b>me</b>"
    (tmp_path / "facts/middle.waivers.yaml").write_text("no: waivers\n", "utf-8")
    assert "GR851" in pair(*asked, code=2).output


def test_what_one_rule_does_alone_does_not_hide_what_two_do_together(gpurules: Gpurules, tmp_path: Path) -> None:
    """EXA-001 speaks once neither of two rules overrides it; EXA-002 changes by itself."""
    b = rulebook(tmp_path / "b")
    for folder, limit in ((tmp_path / "a", "30 %"), (b, "90 %")):
        for id_ in ("EXA-005", "EXA-006"):
            rule(folder, id_, limit=limit, then="- ask: model.name\noverrides: [EXA-001]")
    rule(b, "EXA-002", limit="35 %", then="- advise: {topic: scaling, level: caution, action: add_cards}")
    (tmp_path / "facts").mkdir()
    (tmp_path / "facts/one.yaml").write_text(FACTS, "utf-8")
    (found,) = json.loads(gpurules("diff", "a", "b", "--facts", "facts", "--format", "json").stdout)["changed"]
    assert (found["because"], found["possibly"]) == (["EXA-002"], ["EXA-005", "EXA-006"])
    assert "because of EXA-002; the rest possibly because of EXA-005, EXA-006 together" in gpurules("diff", "a", "b", "--facts", "facts").stdout
    rule(b, "EXA-002", limit="50 %", then="- advise: {topic: scaling, level: caution, action: add_cards}")
    (found,) = json.loads(gpurules("diff", "a", "b", "--facts", "facts", "--format", "json").stdout)["changed"]
    assert (found["because"], found["possibly"]) == ([], ["EXA-005", "EXA-006"])


def test_data_and_facts_that_one_side_does_not_take(pair: Gpurules, tmp_path: Path) -> None:
    for path in (*(tmp_path / "b/rules").glob("EXA*"), *(tmp_path / "b/schemas/vocabulary").glob("*.yaml")):
        path.write_text(path.read_text("utf-8").replace("communication_share", "communication_part"), "utf-8")
    done = pair("diff", "a", "b", "--facts", "facts", "--format", "json")
    found = json.loads(done.stdout)
    assert {(d["id"], d["change"]) for d in found["data"]} >= {("measured.communication_share", "removed"), ("measured.communication_part", "added")}
    assert len(found["undecided"]) == 3 and found["undecided"][0]["after"].startswith("GR301")


def test_archives_and_revisions(pair: Gpurules, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        for path in (tmp_path / "a").rglob("*"):
            archive.write(path, f"top/inside/{path.relative_to(tmp_path / 'a')}")
    with tarfile.open(tmp_path / "b.tar.gz", "w:gz") as tar:
        tar.add(tmp_path / "b", arcname="./b")
    git = ["git", "-c", "user.name=x", "-c", "user.email=x@example.com"]
    shutil.copytree(tmp_path / "a", tmp_path / "repository")
    for words in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "first"]):
        subprocess.run([*git, *words], cwd=tmp_path / "repository", check=True, capture_output=True)
    expected = json.loads(pair("diff", "a", "b", "--format", "json").stdout)
    assert json.loads(pair("diff", "a.zip", "b.tar.gz", "--format", "json").stdout) == expected
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path / "repository/rules")
        assert json.loads(pair("diff", "HEAD:", str(tmp_path / "b"), "--format", "json").stdout) == expected
        assert "GR811" in pair("diff", "nothing:", ".", code=2).output
    assert "GR811" in pair("diff", "HEAD:", "a", code=2).output, "no repository here"


def test_what_is_no_rulebook(pair: Gpurules, tmp_path: Path) -> None:
    (tmp_path / "text").write_text("no archive", "utf-8")
    empty = io.BytesIO()
    zipfile.ZipFile(empty, "w").close()
    (tmp_path / "empty.zip").write_bytes(empty.getvalue())
    (tmp_path / "cut.zip").write_bytes(b"PK\x03\x04 and no more")
    with zipfile.ZipFile(tmp_path / "bomb.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("rules/x.yaml", b" " * 30_000_000)
    with zipfile.ZipFile(tmp_path / "up.zip", "w") as archive:
        archive.writestr("../rules/x.yaml", b"id: x")
    archives = {"text": "GR811", "none": "GR811", "empty.zip": "GR001", "cut.zip": "GR811", "bomb.zip": "GR811", "up.zip": "GR001", "-x:": "GR811"}
    for name, code in archives.items():
        assert code in pair("diff", "--", name, "a", code=2).output
