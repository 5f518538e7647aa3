"""Draw docs/report.svg: the text report of an example, as a terminal shows it. `--check` says whether its words are today's.

python tools/picture.py [--check]
"""

from __future__ import annotations

import html
import io
import re
import sys
from pathlib import Path

import click
from rich.terminal_theme import TerminalTheme

from gpurules.cli.printing import GLUE, console_for, rendered
from gpurules.engine import evaluate
from gpurules.engine.reports.report import report

ROOT = Path(__file__).resolve().parents[1]
EXAMPLE, PICTURE = "examples/7b-full-4x4090.yaml", "docs/report.svg"
WIDTH, SECTIONS = 116, 5
THEME = TerminalTheme(
    (255, 255, 255), (36, 41, 47),
    [(36, 41, 47), (180, 30, 40), (20, 110, 50), (150, 95, 0), (20, 90, 170), (120, 60, 150), (10, 110, 125), (90, 98, 106)],
    [(110, 119, 129), (207, 34, 46), (26, 127, 55), (154, 103, 0), (9, 105, 218), (130, 80, 223), (27, 124, 131), (140, 149, 159)],
)  # fmt: skip


def drawn() -> str:
    """The picture of the first sections of the report."""
    console = console_for(WIDTH, record=True)
    console.file = io.StringIO()
    console.print(f"$ gpurules evaluate {EXAMPLE}\n", style="bold")
    for section in list(report(evaluate(ROOT / EXAMPLE).document, "en"))[:SECTIONS]:
        console.print(rendered(section, WIDTH))
    console.print("…", style="bright_black")
    svg = console.export_svg(title="gpurules", theme=THEME, unique_id="report").replace(GLUE, "&#160;")
    svg = re.sub(r"\s*@font-face \{.*?\}", "", svg, flags=re.DOTALL)  # no fonts from elsewhere; the reader's monospace will do
    svg = svg.replace("Fira Code, monospace", "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace")
    return re.sub(r"[ \t]+$", "", svg, flags=re.MULTILINE)


def words(svg: str) -> list[str]:
    """What can be read in the picture; how it is drawn may differ from one version of rich to the next."""
    return " ".join(html.unescape(text).replace("\u00a0", " ") for text in re.findall(r"<text[^>]*>([^<]*)</text>", svg)).split()


@click.command()
@click.option("--check", is_flag=True, help="Write nothing; exit with 1 if the picture shows another report.")
def main(check: bool) -> None:
    """Draw the picture of a report for the README."""
    path = ROOT / PICTURE
    fresh = words(drawn()) == (words(path.read_text("utf-8")) if path.exists() else [])
    if check and not fresh:
        click.echo(f"{PICTURE} shows an older report; run python tools/picture.py", err=True)
        sys.exit(1)
    if not check and not fresh:
        path.write_text(drawn(), "utf-8")
        click.echo(f"wrote {PICTURE}")


if __name__ == "__main__":
    main()
