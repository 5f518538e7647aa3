"""How long questions take beside the decision that they are about: explain, why-not, and what-if over ten thousand combinations.

python benchmarks/inquiries.py

Each question is answered from the text of a facts file, as the command does it, beside `evaluate` with its document and trace from the same
text; both in turn, in seconds of this process. Ten thousand combinations are set beside as many decisions: some of them, drawn at random and
decided one by one before and after, stand for all.
"""

from __future__ import annotations

import random
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import measure
from measure import Row

from gpurules.engine.decisions import change, decision
from gpurules.engine.inference import facts as reading
from gpurules.engine.inference.evaluation import Engine
from gpurules.engine.inference.facts import Setting
from gpurules.engine.inquiries import explanation, subject
from gpurules.engine.inquiries.grid import Grid, Gridded
from gpurules.engine.inquiries.trial import Trial
from gpurules.engine.inquiries.why_not import WhyNot
from gpurules.engine.knowledge import document
from gpurules.engine.knowledge.rulebook import load
from gpurules.engine.public import VERSION

EXAMPLES = Path(__file__).parents[1] / "examples"
QUESTIONS = (
    ("7b-full-4x4090.yaml", "explain", "COM-001"),
    ("7b-full-4x4090.yaml", "why-not", "COM-001"),
    ("7b-full-4x4090.yaml", "why-not", "add_cards"),
    ("7b-full-4x4090.yaml", "why-not", "4x L40S"),
    ("7b-full-4x4090.yaml", "why-not", "2x H100 PCIe"),
    ("7b-full-4x4090.yaml", "why-not", "stated"),
    ("33b-tensor-parallel-3xv100.yaml", "why-not", "stated"),
    ("32b-vllm-64-sequences.yaml", "why-not", "1x A100 80GB PCIe"),
)
"""File, command, and what is asked for."""
WANTED, GRID_WANTED, PAIRS, DRAWN = 2.0, 0.2, 3, 16
SHARES, LENGTHS = 25, 10
LISTS = {
    "gpu.count": ("1", "2", "3", "4", "5", "6", "7", "8", "16", "32"),
    "training.sequence_length": tuple(str(1024 * n) for n in range(1, LENGTHS + 1)),
    "training.precision": ("bf16_mixed", "fp16_mixed", "bf16_pure", "fp32"),
    "measured.communication_share": tuple(f"{2 * n} %" for n in range(SHARES)),
}
"""Ten thousand combinations of the first example: cards, lengths, precisions, shares of communication."""


def taken(action: Callable[[], object]) -> float:
    """Seconds of this process."""
    start = time.process_time()
    action()
    return time.process_time() - start


def decided(engine: Engine, content: bytes, name: str, settings: tuple[Setting, ...] = ()) -> object:
    """The whole decision, from the text of its facts."""
    return decision.document(engine.evaluate(reading.read(document.parse(content, name), engine.rulebook, settings), "", name), VERSION)


def concluded(engine: Engine, content: bytes, name: str, settings: tuple[Setting, ...] = ()) -> object:
    """Status, machines and advice alone."""
    return change.signature(engine.evaluate(reading.read(document.parse(content, name), engine.rulebook, settings), "", name))


def asked(engine: Engine, content: bytes, name: str, command: str, about: str) -> object:
    if command == "explain":
        facts = reading.read(document.parse(content, name), engine.rulebook)
        found = decision.trace(engine.evaluate(facts, "", name))
        return explanation.explain(subject.in_decision(about, found), found, engine.rulebook, None, name)
    return WhyNot(Trial(engine, document.parse(content, name), (), "", name)).answer(subject.in_rulebook(about, engine))


def questions(engine: Engine, asking: Sequence[tuple[str, str, str]] = QUESTIONS) -> list[Row]:
    rows = []
    for name, command, about in asking:
        content = (EXAMPLES / name).read_bytes()
        decided(engine, content, name)
        times = [
            (taken(lambda: asked(engine, content, name, command, about)), taken(lambda: decided(engine, content, name)))  # noqa: B023
            for _ in range(PAIRS)
        ]
        ours, theirs = (statistics.median(side) for side in zip(*times, strict=True))
        rows.append(Row(f"`{command} {name} {about}`", ours, theirs, statistics.median(a / b for a, b in times), WANTED))
    return rows


def combinations(engine: Engine, lists: Mapping[str, Sequence[str]], count: int = DRAWN) -> tuple[list[Row], Grid]:
    """Rows for all combinations of `lists` beside as many decisions, and beside as many conclusions, told by `count` of them."""
    name = QUESTIONS[0][0]
    content = (EXAMPLES / name).read_bytes()
    drawn = random.Random(7)

    def one_by_one(decide: Callable[..., object]) -> float:
        points = [tuple(Setting(path, drawn.choice(values)) for path, values in lists.items()) for _ in range(count)]
        return taken(lambda: [decide(engine, content, name, settings) for settings in points]) / count

    before = one_by_one(decided), one_by_one(concluded)
    made: list[Grid] = []
    ours = taken(lambda: made.append(Gridded(engine, document.parse(content, name), name, True).grid(lists)))
    after = one_by_one(decided), one_by_one(concluded)
    every = len(made[0].rows)
    rows = []
    for what, *sides in zip(("decisions", "conclusions alone (status, machines, advice)"), before, after, strict=True):
        theirs = every * statistics.mean(sides)
        rows.append(Row(f"what-if over {every:,} combinations, beside {every:,} {what}", ours, theirs, ours / theirs, GRID_WANTED))
    return rows, made[0]


def main() -> str:
    engine = Engine(load())
    asked_rows = questions(engine)
    grid_rows, grid = combinations(engine, LISTS)
    parts = [
        measure.surroundings(engine.rulebook),
        measure.table(("what", "the question", "evaluate", "ratio", "goal"), [row.cells for row in asked_rows]),
        measure.table(("what", "what-if", "one by one", "ratio", "goal"), [row.cells for row in grid_rows]),
        f"The combinations come to {len(grid.decisions):,} different decisions.",
    ]
    return "\n\n".join(parts)


if __name__ == "__main__":
    print(main())
