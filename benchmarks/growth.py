"""Time and memory as rulebooks and catalogues grow: `python benchmarks/growth.py`. Each size in a process of its own.

Rulebooks are made of what ours is made of: a third of the rules compares figures with parameters, a third reads enumerations,
a third derives facts in chains of ten. Catalogues repeat the packaged cards under other names, judged by the packaged rules.
"""

from __future__ import annotations

import json
import math
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from importlib import resources
from pathlib import Path
from typing import TypeVar

import measure
import yaml

RULES, CARDS = (100, 300, 1_000, 3_000, 10_000), (60, 600, 10_000)
CHAIN, FACTS, KINDS = 10, 60, 8
STEPS = ("load", "compile", "evaluate")
Result = TypeVar("Result")
FACTS_FILE = Path(__file__).parent / "facts" / "chosen.yaml"


def main(quick: bool = False) -> str:
    import gpurules

    rules, cards = ((30, 100), (60, 120)) if quick else (RULES, CARDS)
    parts = [measure.surroundings(gpurules.load())]
    for what, sizes, make in (("rules", rules, rulebook), ("cards", cards, catalogue)):
        found = []
        for size in sizes:
            with tempfile.TemporaryDirectory() as folder:
                make(Path(folder), size)
                done = subprocess.run([sys.executable, __file__, "--one", folder, what], capture_output=True, text=True)
            if done.returncode:
                raise RuntimeError(f"{size} {what}: {done.stderr[-2000:]}")
            found.append((size, json.loads(done.stdout)))
        parts.append(_table(what, found))
    return "\n\n".join(parts)


def _table(what: str, found: Sequence[tuple[int, dict[str, float]]]) -> str:
    rows = []
    for size, times in found:
        cells = [f"{measure.shown(times[step])} ({measure.shown(times[step] / size)})" for step in STEPS]
        rows.append((f"{size:,} {what}", *cells, f"{times['memory'] / 1e6:,.0f} MB"))
    last = [(size, times) for size, times in found if size >= found[-1][0] / 20]
    slopes = [_exponent([(size, times[step]) for size, times in last]) for step in STEPS]
    rows.append((f"exponent over the last {len(last)}", *(f"{slope:.2f}" for slope in slopes), ""))
    return measure.table((what, *(f"{step} (for one)" for step in STEPS), "peak memory"), rows)


def _exponent(points: Sequence[tuple[int, float]]) -> float:
    """The slope of the line through the points on logarithmic scales; 1 is linear."""
    xs, ys = [math.log(x) for x, _ in points], [math.log(y) for _, y in points]
    return statistics.linear_regression(xs, ys).slope


def one(folder: Path, what: str) -> dict[str, float]:
    """Load, compile and evaluate what lies in a folder: seconds each, and the peak of memory in bytes."""
    from gpurules.engine import public
    from gpurules.engine.inference.evaluation import Engine
    from gpurules.engine.knowledge.rulebook import Rulebook

    def timed(function: Callable[[], Result]) -> tuple[Result, float]:
        start = time.perf_counter()
        result = function()
        return result, time.perf_counter() - start

    loaded: tuple[Rulebook, float] = timed(lambda: public.load(folder))
    compiled: tuple[Engine, float] = timed(lambda: Engine(loaded[0]))
    content = FACTS_FILE.read_bytes() if what == "cards" else yaml.safe_dump({f"made.figure_{i}": f"{i + 1}" for i in range(FACTS // 2)}).encode()
    times = [timed(lambda: public.evaluate(content, compiled[0]))[1] for _ in range(3)]
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    return {"load": loaded[1], "compile": compiled[1], "evaluate": statistics.median(times), "memory": peak}


# ---------------------------------------------------------------- what is made


def _copy(folder: Path, *parts: str) -> None:
    for part in parts:
        with resources.as_file(resources.files(f"gpurules.{part}")) as source:
            shutil.copytree(source, folder / part, ignore=shutil.ignore_patterns("__*", "*.py"))


def catalogue(folder: Path, size: int) -> None:
    """The packaged rules with a catalogue of `size` cards."""
    _copy(folder, "rules", "catalogs", "schemas")
    (folder / "catalogs" / "prices.yaml").unlink()  # it prices cards that a small catalogue does not hold
    path = folder / "catalogs" / "gpus.yaml"
    content = yaml.load(path.read_bytes(), Loader=yaml.CSafeLoader if hasattr(yaml, "CSafeLoader") else yaml.SafeLoader)
    cards = sorted(content["cards"], key=lambda c: c["id"] != "geforce-rtx-4090")  # the one that the facts name comes first
    content["cards"] = [_renamed(cards[i % len(cards)], i // len(cards)) for i in range(size)]
    path.write_text(json.dumps(content, ensure_ascii=False), "utf-8")


def _renamed(card: dict[str, object], series: int) -> dict[str, object]:
    if not series:
        return card
    data = card["data"]
    assert isinstance(data, dict)
    kept = {"link": data["link"]} if "link" in data else {}  # the rest is for people, and a catalogue's file has a largest size
    own = {"id": f"{card['id']}-{series}", "name": f"{card['name']} mark {series}", "aliases": [], "ambiguous_aliases": [], "data": kept, "notes": []}
    return {**card, **own}


def rulebook(folder: Path, size: int) -> None:
    """A rulebook of `size` rules over facts of its own."""
    _copy(folder, "catalogs", "schemas")
    both = {"en": "made", "zh": "made"}
    common = {"title": both, "kind": "observed", "cost": "free", "obtain": both, "movable": "no"}
    numeric = {"type": "number", "unit": "1", "range": [0, 1000000], "step": "0.001"}
    facts: list[dict[str, object]] = [{"path": f"made.figure_{i}", **numeric, **common} for i in range(FACTS)]
    members = {f"m{i}": both for i in range(KINDS)}
    facts += [{"path": f"made.kind_{i}", "type": "enum", "members": members, **common} for i in range(FACTS)]
    derived = {"title": both, "kind": "derived", "movable": "no", **numeric}
    facts += [{"path": f"made.derived_{i}", **derived} for i in range(size // 3)]
    for start in range(0, len(facts), 1000):  # a file holds so many values at most
        (folder / "schemas" / "vocabulary" / f"made-{start:05d}.yaml").write_text(json.dumps({"facts": facts[start : start + 1000]}), "utf-8")
    claim = yaml.safe_load((folder / "catalogs" / "claims.yaml").read_bytes())["claims"][0]["id"]
    (folder / "rules").mkdir()
    (folder / "rules" / "rulebook.yaml").write_text('{"version": "1.0.0", "released": "2026-01-01"}', "utf-8")
    for number in range(size):
        rule = _rule(number, claim)
        topic = folder / "rules" / str(rule["id"])[:3].lower()
        topic.mkdir(exist_ok=True)
        (topic / f"{rule['id']}-made.yaml").write_text(json.dumps(rule), "utf-8")


def _rule(number: int, claim: str) -> dict[str, object]:
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    block = number // 900
    id_ = f"M{letters[block // 26]}{letters[block % 26]}-{number % 900 + 1:03d}"
    kind, index = number % 3, number // 3
    figure, other = f"made.figure_{index % FACTS}", f"made.figure_{(7 * index + 3) % FACTS}"
    word = f"made.kind_{index % FACTS}"
    figures = {"limit": str(index % 97 + 1), **({"share": "50 %"} if kind == 2 else {})}
    parameters = {name: {"value": value, "cites": [claim], "since": "2026-01-01"} for name, value in figures.items()}
    advice: list[dict[str, object]] = [{"advise": {"topic": "memory", "level": "note", "action": "keep_headroom"}}]
    if kind == 0:
        when: object = {"all": [f"{figure} > limit", f"{other} < limit * {figure}", f"{word} in ('m1', 'm2', 'm3')"]}
        then = advice
    elif kind == 1:
        when, then = {"all": [f"{word} in ('m{index % KINDS}', 'm{(index + 3) % KINDS}')", f"{figure} >= limit"]}, list(advice)
    else:
        before = f"made.derived_{index - 1}" if index % CHAIN else other
        when, then = f"{word} != 'm{index % KINDS}'", [{"derive": {f"made.derived_{index}": f"{before} * share + limit"}}]
    return {
        "id": id_, "version": "1.0.0", "status": "active", "title": {"en": f"rule {number}", "zh": f"rule {number}"}, "when": when, "parameters": parameters,
        "then": then, "because": {"en": f"{{{{ {figure} }}}} beside {{{{ limit }}}}", "zh": f"{{{{ {figure} }}}}, {{{{ limit }}}}"},
        "confidence": "medium", "cites": [claim], "cases": [{"name": "nothing stated", "facts": {other: "1"}, "fires": "depends"}],
    }  # fmt: skip


if __name__ == "__main__":
    if sys.argv[1:2] == ["--one"]:
        print(json.dumps(one(Path(sys.argv[2]), sys.argv[3])))
    else:
        print(main("--quick" in sys.argv))
