"""Run every benchmark and write docs/benchmarks.md: `python benchmarks/report.py [evaluate | peers | growth ...]`.

With names, only those parts are run again, and the others stay as they are in the document, or out of it.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path

import evaluate
import growth
import inquiries
import peers
import record

DOCUMENT = Path(__file__).parents[1] / "docs" / "benchmarks.md"
PARTS: dict[str, tuple[str, str, Callable[[], str]]] = {
    "evaluate": (
        "Beside code written by hand",
        "`benchmarks/by_hand.py` has a part of the rulebook as plain Python over floats: no intervals, no unknowns, no reasons, no trace. The part is the "
        "estimate of memory, whether it fits, what a machine must have and what machines are compared by; no rule of it "
        "needs a rule that is left out. A test holds it to the engine's truths, values, verdicts and ranking, and fails when one of its rules "
        "changes. A decision with its trace writes some thousand texts in two languages, of which code by hand has none.",
        evaluate.main,
    ),
    "peers": (
        "Beside other rule engines",
        "Conditions of the whole rulebook over exactly known facts; a ratio below 1 means that gpurules is quicker. The kernel gives truths and derived "
        "values, the scalar run also keeps, for the trace, every alternative of every derived value. The first row of an engine is equal work: the "
        "rules that it expresses, and nothing else; the others set all rules of our workload, with what they derive, beside that part.",
        peers.main,
    ),
    "growth": (
        "As rulebooks and catalogues grow",
        "Each size in a process of its own; the time for one rule or card in brackets. An exponent of 1 is linear growth; what is constant (the packaged "
        "catalogues and vocabulary, which every rulebook loads) pulls the exponent of the smaller sizes down.",
        growth.main,
    ),
    "inquiries": (
        "Questions about a decision",
        "`benchmarks/inquiries.py`, in seconds of one process. A question is answered from the text of a facts file, beside `evaluate` with its document and "
        "trace from the same text. Why-not spends its time on the smallest change: of a machine, each rule that rejects it is a search of its own, "
        "and so is the machine as a whole; a search ends after a number of evaluations that `--budget` raises, and says so. Combinations "
        "are set beside as many decisions, of which some were drawn at random and timed one by one.",
        inquiries.main,
    ),
    "record": (
        "A long record",
        "`benchmarks/record.py`: the median time of one entry added (forced to the disk) or looked up at the end of a long record, beside a short one; "
        "decisions of about 4 kB.",
        record.report,
    ),
}
HEAD = """# Benchmarks

<!-- written by benchmarks/report.py; do not edit -->

Figures of one run on one machine, by `python benchmarks/report.py` (extra `bench`). Both sides of a comparison run in turn, and a ratio is the median
of the ratios of neighbours: that is what counts. Times stand beside it only to give an idea; other work on the machine changes them.
"""


def main(names: list[str]) -> None:
    before = DOCUMENT.read_text("utf-8") if DOCUMENT.exists() else ""
    parts = [HEAD]
    for name, (title, about, run) in PARTS.items():
        kept = re.search(rf"<!-- {name} -->\n(.*?)(?=\n<!-- [a-z]+ -->\n|\Z)", before, re.DOTALL)
        if names and name not in names and kept is None:
            continue
        body = kept.group(1).rstrip() if kept and names and name not in names else f"## {title}\n\n{about}\n\n{run()}"
        parts.append(f"<!-- {name} -->\n{body}\n")
    DOCUMENT.write_text("\n".join(parts), "utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
