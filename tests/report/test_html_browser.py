"""The HTML report in a real browser, Chromium without a window: nothing sticks out or overlaps, axe finds nothing serious, nothing is
fetched, the keyboard reaches everything, and hostile text does nothing.

Left out where there is no Chromium, unless GPURULES_BROWSER=1 says that there must be one.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from gpurules.engine import evaluate
from gpurules.engine.decisions.decision import Document
from gpurules.engine.reports.html import html

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

EXAMPLES = Path(__file__).parents[2] / "examples"
CHROMIUM = next((found for name in ("chromium", "chromium-browser", "google-chrome") if (found := shutil.which(name))), "")
PLAIN, COST = "7b-full-4x4090", "8xh100-rent-or-buy"
pytestmark = pytest.mark.skipif(not CHROMIUM and os.environ.get("GPURULES_BROWSER") != "1", reason="there is no Chromium")

OVERLAPS = """() => {
  const found = [], lines = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const parent = node.parentElement;
    if (!node.data.trim() || parent.closest(".away, .skip, script, style, thead") || !parent.checkVisibility({contentVisibilityAuto: true})) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    for (const box of range.getClientRects()) if (box.width > 1 && box.height > 1) lines.push([box, node]);
  }
  lines.sort((a, b) => a[0].top - b[0].top);
  lines.forEach(([a, one], i) => {
    for (let j = i + 1; j < lines.length && lines[j][0].top < a.bottom - 3; j++) {
      const [b, other] = lines[j];
      if (one !== other && Math.min(a.right, b.right) - Math.max(a.left, b.left) > 2) found.push([one, other].map(n => n.data.trim().slice(0, 40)));
    }
  });
  return found.slice(0, 5);
}"""
"""Pairs of texts on the page whose lines lie over each other."""


@pytest.fixture(scope="module")
def decisions() -> dict[str, Document]:
    return {stem: evaluate(EXAMPLES / f"{stem}.yaml").document for stem in (PLAIN, COST)}


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    from playwright.sync_api import sync_playwright

    assert CHROMIUM, "GPURULES_BROWSER=1, but there is no Chromium"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


class Opened:
    """A page, with whatever it asked for and whatever it complained about."""

    def __init__(self, browser: Browser, path: Path, width: int = 1440, scheme: str = "light", scripts: bool = True) -> None:
        context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme, java_script_enabled=scripts)  # type: ignore[arg-type]
        context.grant_permissions(["clipboard-read", "clipboard-write"])
        self.page: Page = context.new_page()
        self.requests: list[str] = []
        self.complaints: list[str] = []
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("console", lambda message: self.complaints.append(message.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.goto(path.as_uri())


def written(tmp_path: Path, decision: Document, language: str = "en") -> Path:
    path = tmp_path / f"report.{language}.html"
    path.write_text(html(decision, language), "utf-8")
    return path


def serious(page: Page) -> list[Any]:
    """What axe finds that is serious or worse; its source is run by the browser itself, so the page's policy stays as it is."""
    from axe_playwright_python.sync_playwright import Axe

    violations = Axe().run(page, options={"resultTypes": ["violations"]}).response["violations"]
    return [(v["id"], v["impact"], v["nodes"][0]["html"][:200]) for v in violations if v["impact"] in ("serious", "critical")]


@pytest.mark.parametrize("stem", [PLAIN, COST])
@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("width", [360, 768, 1440])
def test_nothing_sticks_out_or_overlaps(stem: str, language: str, width: int, browser: Browser, decisions: dict[str, Document], tmp_path: Path) -> None:
    opened = Opened(browser, written(tmp_path, decisions[stem], language), width)
    page = opened.page
    assert page.evaluate("document.documentElement.scrollWidth") == width
    assert page.evaluate(OVERLAPS) == []
    page.evaluate("document.querySelectorAll('#memory details, #grounds > ul details').forEach(d => d.open = true)")
    assert page.evaluate("document.documentElement.scrollWidth") == width, "with the derivation open"
    assert page.evaluate(OVERLAPS) == []
    assert opened.complaints == [] and len(opened.requests) == 1


@pytest.mark.parametrize(("stem", "language", "width", "scheme"), [(PLAIN, "en", 360, "light"), (PLAIN, "zh", 1440, "dark"), (COST, "en", 360, "dark")])
def test_axe_finds_nothing_serious(stem: str, language: str, width: int, scheme: str, browser: Browser, decisions: dict[str, Document], tmp_path: Path) -> None:
    page = Opened(browser, written(tmp_path, decisions[stem], language), width, scheme).page
    page.evaluate("[...document.querySelectorAll('#grounds > ul details')].slice(0, 12).forEach(d => d.open = true)")
    assert serious(page) == []


MOVED = {"status": "recommended", "machines": [{"id": "2xa/pcie/sharded", "name": {"en": "2 × A, PCIe, fully sharded", "zh": "2 × A，PCIe，完全分片"}}]}
CHANGED = {"kind": "change", "text": "349.65 W", "last": "350 W", "factor": 0.999, "distance": 0.001, "verdict": MOVED}
STAYS = {"kind": "constant", "text": "1400 W", "factor": 4.0, "distance": 3.0}
FIGURE = {
    "figure": "PWR-001:air_limit", "rule": "PWR-001", "version": "1.0.0", "title": {"en": "Hot cards", "zh": "高功耗卡"}, "name": "air_limit", "text": "350 W",
    "kind": "scaled", "since": "2026-01-01", "also": [], "cites": [], "nearest": 0.001, "down": CHANGED, "up": STAYS,
}  # fmt: skip
SENSITIVITY = {
    "now": MOVED, "figures": [FIGURE, {**FIGURE, "down": STAYS, "up": CHANGED}], "constant": [{**FIGURE, "down": STAYS}], "zero": [],
    "unsettled": [], "unused": 7, "conflicts": [], "evaluations": 100, "budget_reached": False,
}  # fmt: skip


@pytest.mark.parametrize(("language", "width", "scheme"), [("en", 1440, "light"), ("zh", 360, "dark")])
def test_the_picture_of_sensitivity(language: str, width: int, scheme: str, browser: Browser, decisions: dict[str, Document], tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    path.write_text(html(decisions[PLAIN], language, SENSITIVITY), "utf-8")
    page = Opened(browser, path, width, scheme).page
    page.evaluate("document.querySelectorAll('#sensitivity details').forEach(d => d.open = true)")
    assert page.evaluate("document.documentElement.scrollWidth") == width and page.evaluate(OVERLAPS) == []
    assert serious(page) == []
    assert page.locator("#sensitivity .room svg").count() == 2
    drawn = page.locator("#sensitivity .room rect.swing-low").first.bounding_box()
    whole = page.locator("#sensitivity .room rect.track").first.bounding_box()
    assert drawn is not None and whole is not None and abs(drawn["width"] / whole["width"] - 0.5) < 0.02


def test_the_page_could_not_fetch_anything_if_it_wanted(browser: Browser, decisions: dict[str, Document], tmp_path: Path) -> None:
    opened = Opened(browser, written(tmp_path, decisions[PLAIN]))
    told = opened.page.evaluate("""async () => {
        document.body.insertAdjacentHTML('beforeend', '<img src="https://example.org/a.png"><div style="color: red" id="styled"></div>');
        const script = document.createElement('script'); script.textContent = 'window.hit = 1'; document.body.append(script);
        return [await fetch('https://example.org/').then(() => 'fetched', () => 'refused'), window.hit, getComputedStyle(styled).color];
    }""")
    assert told[0] == "refused" and told[1] is None and told[2] != "rgb(255, 0, 0)"
    assert all("Content Security Policy" in complaint or "refused" in complaint.lower() for complaint in opened.complaints)


def test_the_keyboard_reaches_a_figure_and_sees_its_source(browser: Browser, decisions: dict[str, Document], tmp_path: Path) -> None:
    page = Opened(browser, written(tmp_path, decisions[PLAIN])).page
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.locator("#grounds > ul > li > details", has=page.locator("[id='rule-COM-001']")).locator("summary").first.focus()
    for _ in range(2):  # opens the finding, then its rule
        page.keyboard.press("Enter")
        page.keyboard.press("Tab")
    for _ in range(10):
        if page.evaluate("document.activeElement.classList.contains('figure')"):
            break
        page.keyboard.press("Tab")
    title = page.evaluate("document.activeElement.title")
    assert title, "a figure has the focus"
    content = page.evaluate("getComputedStyle(document.activeElement, '::after').content")
    assert title in content.replace('\\"', '"')
    page.mouse.move(0, 0)
    assert page.evaluate("getComputedStyle(document.activeElement, '::after').position") == "fixed"


def test_a_reference_opens_what_it_names(browser: Browser, decisions: dict[str, Document], tmp_path: Path) -> None:
    page = Opened(browser, written(tmp_path, decisions[PLAIN])).page
    page.locator("#verdict .refs a").first.click()
    target = page.evaluate("location.hash.slice(1)")
    assert target.startswith("rule-")
    assert page.locator(f"[id='{target}']").is_visible()


def test_commands_are_copied_and_without_scripts_read(browser: Browser, decisions: dict[str, Document], tmp_path: Path) -> None:
    path = written(tmp_path, decisions[PLAIN])
    page = Opened(browser, path).page
    command = page.locator(".command code").first.inner_text()
    page.locator(".command button").first.click()
    page.wait_for_function("document.getElementById('said').textContent === 'Copied'")
    assert page.evaluate("navigator.clipboard.readText()") == command
    still = Opened(browser, path, scripts=False).page
    assert still.locator(".command code").first.inner_text() == command
    assert not still.locator(".command button").first.is_visible()


def test_it_prints_on_a4(browser: Browser, decisions: dict[str, Document], tmp_path: Path) -> None:
    page = Opened(browser, written(tmp_path, decisions[PLAIN])).page
    page.emulate_media(media="print")
    assert not page.locator("nav").is_visible() and not page.locator(".command button").first.is_visible()
    assert page.locator("#memory .figures table").first.is_visible()
    pdf = page.pdf(prefer_css_page_size=True)
    assert b"/MediaBox [0 0 594.95" in pdf or b"/MediaBox [0 0 595" in pdf
    assert 5 <= pdf.count(b"/Type /Page\n") <= 40


def test_hostile_text_does_nothing(browser: Browser, decisions: dict[str, Document], tmp_path: Path) -> None:
    text = "<img src=x onerror=\"document.title='hit'\"><script>document.title='hit'</script>\u202eevil {{ 7 * 191 }}"

    def spoiled(value: Any) -> Any:
        if isinstance(value, dict):
            return {k: v + text if k in ("en", "zh", "text", "command", "place") and isinstance(v, str) else spoiled(v) for k, v in value.items()}
        return [spoiled(v) for v in value] if isinstance(value, list) else value

    opened = Opened(browser, written(tmp_path, spoiled(decisions[PLAIN])), 360)
    assert opened.page.title() == "GPU server decision · gpurules"
    assert opened.page.locator("main img").count() == 0
    assert "{{ 7 * 191 }}" in opened.page.locator("#verdict").inner_text() and "\\u202eevil" in opened.page.locator("#verdict").inner_text()
    assert opened.page.evaluate("document.documentElement.scrollWidth") == 360
    assert len(opened.requests) == 1 and opened.complaints == []
