"""What the documents show is true: examples load, links lead somewhere."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from gpurules.engine import GpurulesError, load
from gpurules.engine.decisions import cases
from gpurules.engine.public import engine

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])


def blocks(page: str, language: str) -> list[str]:
    """The fenced blocks of a language, in order."""
    return re.findall(rf"```{language}\n(.*?)```", (ROOT / page).read_text("utf-8"), re.DOTALL)


def test_the_worked_example_of_a_rule_passes_its_cases(tmp_path: Path) -> None:
    (tmp_path / "EXM-001-example.yaml").write_text(blocks("docs/rules.md", "yaml")[0], "utf-8")
    results = list(cases.run(engine(load(tmp_path))))
    assert len(results) >= 5
    assert [problem for result in results for problem in result.problems] == []


def test_every_kind_of_parameter_is_read_and_the_wrong_row_is_found(tmp_path: Path) -> None:
    rule, parameters = blocks("docs/rules.md", "yaml")[:2]
    use = "when: gpu.power_limit > limit and lookup(bytes_by, training.precision) * gpu.count < bytes and price * gpu.count > 0\n"
    head, _, tail = rule.partition("when:")
    tail = tail[tail.index("then:") :]
    tail = re.sub(r"because:.*?confidence:", "because: {en: An example., zh: 示例。}\nconfidence:", tail, flags=re.DOTALL)
    (tmp_path / "EXM-001-example.yaml").write_text(head + use + parameters + tail, "utf-8")
    with pytest.raises(GpurulesError) as caught:
        load(tmp_path)
    assert {p.code for p in caught.value.problems} == {"GR418"}


@pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    text = re.sub(r"```.*?```", "", page.read_text("utf-8"), flags=re.DOTALL)
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if not re.match(r"[a-z]+:", target) and not target.startswith("#"):
            assert (page.parent / target.partition("#")[0]).exists(), target


@pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(ROOT)))
def test_files_named_in_the_text_exist(page: Path) -> None:
    text = re.sub(r"```.*?```", "", page.read_text("utf-8"), flags=re.DOTALL)
    for name in re.findall(r"`((?:engine|cli|catalogs|schemas|rules|docs|tools|tests|examples|\.ci)/[\w./-]+\.\w+)`", text):
        assert (ROOT / name).exists(), name


@pytest.mark.parametrize(("mark", "part"), [("run", "gpurules evaluate examples/"), ("test", "-m pytest")])
def test_the_two_commands_of_the_readme_can_be_found(mark: str, part: str) -> None:
    """`.ci/run` runs them as they stand: the first block after each mark, one line."""
    found = re.search(rf"^<!-- {mark} -->\n```sh\n(.+)\n```$", (ROOT / "README.md").read_text("utf-8"), re.MULTILINE)
    assert found is not None and part in found.group(1)
    assert f"command_of {mark}" in (ROOT / ".ci/run").read_text("utf-8")
