"""The engine beside the same conclusions written by hand, and the command beside the imports of its libraries: `python benchmarks/evaluate.py`.

The engine has the rules that `by_hand` covers and no others, with their ranges; the command has the whole rulebook.
Facts are known exactly, as `by_hand` needs them. Its side has nothing to read and nothing to explain: it starts from numbers,
and ends with the ids of the rules that hold, what they derive and which machines they reject.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

import by_hand
import exact
import measure
from measure import Row

import gpurules
from gpurules.engine import public
from gpurules.engine.decisions import change
from gpurules.engine.inference import facts as reading
from gpurules.engine.inference.evaluation import Engine
from gpurules.engine.inference.kernel import Kernel
from gpurules.engine.knowledge import document
from gpurules.engine.language.compile import Value

HERE = Path(__file__).parent
EXAMPLE = HERE.parent / "examples" / "7b-full-4x4090.yaml"


def main(quick: bool = False) -> str:
    """All comparisons as Markdown."""
    rules = gpurules.load()
    engine, whole = public.engine(exact.part()), public.engine(rules)
    pairs = 3 if quick else 15
    rows = [*verdicts(engine, 3 if quick else 41), *decisions(engine, pairs), *beside_the_whole(engine, whole, pairs), *commands(1 if quick else 15)]
    workload, candidate = (sum(kind == "rule" for kind, _ in s.steps) for s in (engine.workload, engine.candidate))
    about = (
        f"Compared are {workload + candidate} of {len(rules.running)} rules, on both sides: {workload} of the workload, {candidate} of a machine; "
        f"{len(engine.catalogued)} machines of the catalogue. The rows that say so, and the command, have all {len(rules.running)} rules."
    )
    others = exact.aside(rules)
    if others:
        about += f" Left out, though they derive in cases of their own what the compared rules derive: {', '.join(others)}."
    warning = "" if exact.followed(rules) else "\n\n**`by_hand.py` was written for other rules than these: nothing here may be relied on.**"
    return f"{measure.surroundings(rules)}\n\n{about}{warning}\n\n{measure.table(measure.HEADS, (r.cells for r in rows))}"


# ---------------------------------------------------------------- verdicts


def verdicts(engine: Engine, pairs: int, worlds: int = 40) -> list[Row]:
    """The kernels of workload and candidate 0 beside `by_hand`, over random facts."""
    kernel = Kernel(engine.program, engine.rulebook.orders, engine.workload)
    draw, slots, procedures = random.Random(3), engine.program.slots, engine.program.procedures
    prepared: list[tuple[list[Value], list[bool], list[bool], by_hand.Facts, by_hand.Machine]] = []
    given: list[tuple[Mapping[str, Value], by_hand.Facts, by_hand.Machine]] = []
    for _ in range(worlds):
        facts = exact.facts(draw, engine.rulebook)
        machine = exact.stated_machine(facts)
        run = engine.evaluate(exact.stated(facts, engine.rulebook)).workloads[0]
        values = engine.program.values(engine.rulebook.released)
        stated = {p: f.value for p, f in exact.stated(facts, engine.rulebook).given.items()} | exact.figures(machine)
        for path, value in stated.items():
            values[slots[path]] = value
        speaking = [[run.knows(procedures[r].rule.needs) for r in k.rules] for k in (kernel, engine.kernel)]
        prepared.append((values, speaking[0], speaking[1], facts, machine))
        given.append((stated, facts, machine))

    earlier = [(rule, kernel.rules.index(rule)) for rule in engine.kernel.earlier]

    def kernels() -> None:
        for values, first, second, _, _ in prepared:
            own = list(values)
            truths, _ = kernel(own, first, {})
            engine.kernel(own, second, {rule: truths[index] for rule, index in earlier})

    def hand() -> None:
        for _, facts, machine in given:
            by_hand.judge(facts, by_hand.workload(facts), machine)

    return [measure.paired(f"verdicts: truths, derived values, requirements ({worlds} workloads, each with its machine)", kernels, hand, pairs, 3)]


# ---------------------------------------------------------------- decisions


def decisions(engine: Engine, pairs: int) -> list[Row]:
    """A whole decision beside the same conclusions by hand."""
    machines = [m for c in engine.catalogued if (m := exact.catalogued(c)) is not None]
    rows = []
    for name, what in (("kept", "the stated machine kept, none looked for"), ("chosen", f"a choice among {len(engine.catalogued)} machines")):
        content = (HERE / "facts" / f"{name}.yaml").read_bytes()
        given = reading.read(document.parse(content, name), engine.rulebook)
        facts = exact.as_floats(given)
        stated = exact.stated_machine(facts)

        def hand(facts: by_hand.Facts = facts, stated: by_hand.Machine = stated, looked: bool = name == "chosen") -> None:
            found = by_hand.workload(facts)
            by_hand.judge(facts, found, stated)
            if looked:
                by_hand.choose(facts, found, machines)

        def signed(given: reading.Facts = given) -> object:
            return change.signature(engine.evaluate(given))

        def decided(content: bytes = content) -> object:
            return public.evaluate(content, engine)

        rows.append(measure.paired(f"conclusions: status, choice and every advice, no texts; {what}", signed, hand, pairs))
        rows.append(measure.paired(f"decision: from the text of a facts file to the document with its trace; {what}", decided, hand, pairs, 15))
    return rows


def beside_the_whole(engine: Engine, whole: Engine, pairs: int) -> list[Row]:
    """A decision with the whole rulebook beside one with the rules that `by_hand` covers."""
    count, rows = len(whole.rulebook.running), []
    for name, what in (("kept", "the stated machine kept"), ("chosen", "a choice among machines")):
        content = (HERE / "facts" / f"{name}.yaml").read_bytes()
        with_all, with_part = partial(public.evaluate, content, whole), partial(public.evaluate, content, engine)
        rows.append(measure.paired(f"decision with all {count} rules, beside ours with the {len(engine.rulebook.running)}; {what}", with_all, with_part, pairs))
    return rows


# ---------------------------------------------------------------- the command


def commands(pairs: int) -> list[Row]:
    """`gpurules evaluate` beside importing three of its libraries, both with their bytecode written before."""
    with tempfile.TemporaryDirectory(dir=Path.home()) as folder:
        settings = {k: v for k, v in os.environ.items() if k not in ("PYTHONDONTWRITEBYTECODE", "GPURULES_CACHE")}
        settings |= {"PYTHONPYCACHEPREFIX": f"{folder}/bytecode", "XDG_CACHE_HOME": folder}
        imports = _command(settings, "-c", "import click, yaml, jsonschema")
        warm = _command(settings, "-m", "gpurules.cli", "evaluate", str(EXAMPLE))
        cold = _command(settings | {"GPURULES_CACHE": "off"}, "-m", "gpurules.cli", "evaluate", str(EXAMPLE))
        warm()
        return [
            measure.paired("`gpurules evaluate` with its cache, beside `import click, yaml, jsonschema`", warm, imports, pairs, 2, 0),
            measure.paired("`gpurules evaluate` without a cache, beside the same imports", cold, imports, max(1, pairs // 3), None, 0),
        ]


def _command(settings: Mapping[str, str], *arguments: str) -> Callable[[], object]:
    return lambda: subprocess.run([sys.executable, *arguments], env=settings, stdout=subprocess.DEVNULL, check=True)


if __name__ == "__main__":
    print(main("--quick" in sys.argv))
