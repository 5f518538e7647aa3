"""Photograph docs/report-html.png: verdict and memory of an example's HTML report, in Chromium. `--check` says whether its words are today's.

python tools/page_picture.py [--check]
"""

from __future__ import annotations

import hashlib
import re
import shutil
import struct
import sys
import tempfile
import zlib
from pathlib import Path

import click

from gpurules.engine import evaluate
from gpurules.engine.reports.html import html

ROOT = Path(__file__).resolve().parents[1]
EXAMPLE, PICTURE = "examples/7b-full-8xa100-40gb-steps.yaml", "docs/report-html.png"
WIDTH, SHOWN = 860, ("verdict", "memory")
KEYWORD = b"words"
"""The text chunk of the picture that holds a digest of the words it shows; pixels differ from one browser to the next."""
_ONLY = """shown => {
    document.querySelectorAll("nav, section").forEach(e => { if (!shown.includes(e.id)) e.remove(); });
    document.querySelectorAll("#memory > :not(h2, figure), .figures").forEach(e => e.remove());
    document.querySelector(".sheet").style.display = "block";
}"""


def words(page: str) -> bytes:
    """A digest of what can be read in the sections shown."""
    sections = re.findall(rf'<section id="(?:{"|".join(SHOWN)})".*?(?:</figure>|</section>)', page, re.DOTALL)
    return hashlib.sha256(" ".join(re.sub(r"<[^>]*>", " ", "".join(sections)).split()).encode()).hexdigest().encode()


def photographed(page: str) -> bytes:
    """The picture as PNG."""
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        path = Path(folder, "report.html")
        path.write_text(page, "utf-8")
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        opened = browser.new_page(viewport={"width": WIDTH, "height": 400})
        opened.goto(path.as_uri())
        opened.evaluate(_ONLY, list(SHOWN))
        bottom = opened.evaluate("document.querySelector('main').getBoundingClientRect().bottom")
        return opened.screenshot(clip={"x": 0, "y": 0, "width": WIDTH, "height": bottom}, full_page=True)


def noted(png: bytes, text: bytes) -> bytes:
    """The picture with a text chunk after its header."""
    chunk = b"tEXt" + KEYWORD + b"\0" + text
    return png[:33] + struct.pack(">I", len(chunk) - 4) + chunk + struct.pack(">I", zlib.crc32(chunk)) + png[33:]


@click.command()
@click.option("--check", is_flag=True, help="Write nothing; exit with 1 if the picture shows another report.")
def main(check: bool) -> None:
    """Photograph the HTML report for the README."""
    path, page = ROOT / PICTURE, html(evaluate(ROOT / EXAMPLE).document)
    fresh = path.exists() and KEYWORD + b"\0" + words(page) in path.read_bytes()
    if check and not fresh:
        click.echo(f"{PICTURE} shows an older report; run python tools/page_picture.py", err=True)
        sys.exit(1)
    if not check and not fresh:
        path.write_bytes(noted(photographed(page), words(page)))
        click.echo(f"wrote {PICTURE}")


if __name__ == "__main__":
    main()
