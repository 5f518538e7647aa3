"""Chinese lines break at any character, but not before closing and after opening punctuation, nor between a figure and its unit."""

from __future__ import annotations

import io

from rich.console import Console
from rich.text import Text

from gpurules.cli.printing import GLUE, SEAM, UNIT, as_printed, closes, seamed

TEXT = "结构化估算按所给结构、批次和长度逐项相加（含激活），单卡需要 24 GB，可用 80 GB；放得下。为什么有两个数字：经验值只需要模型规模。"


def lines(text: str, width: int) -> list[str]:
    console = Console(width=width, file=io.StringIO(), highlight=False, markup=False, legacy_windows=False)
    with console.capture() as capture:
        console.print(Text(seamed(UNIT.sub(GLUE, text))))
    return [line.rstrip() for line in as_printed(capture.get()).splitlines()]


def columns(line: str) -> int:
    return sum(2 if ord(c) >= 0x2E80 else 1 for c in line)


def test_lines_are_filled_and_none_starts_with_closing_punctuation() -> None:
    for width in range(24, 60):
        found = lines(TEXT, width)
        assert "".join(found).replace(" ", "") == TEXT.replace(" ", "")
        assert all(columns(line) <= width for line in found)
        assert all(columns(line) >= width - 8 for line in found[:-1])
        assert not any(closes(line[0]) or line.endswith("（") or line.startswith("GB") for line in found)


def test_other_text_is_left_as_it_is() -> None:
    assert seamed("one card of 4 × A100 – 80 GB…") == "one card of 4 × A100 – 80 GB…"
    assert SEAM not in as_printed(seamed(TEXT)) and as_printed(seamed(TEXT)) == TEXT
