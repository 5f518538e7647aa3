"""Hostile text, the packaged rulebook with it in every text for people, and what must be true of whatever is printed of it."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from markdown_it import MarkdownIt

from gpurules.engine.knowledge import bundle, document, rulebook

MARKUP = (
    "</script><script>alert(1)</script><img src=x onerror=alert(1)>\x1b[31mred\x1b]8;;http://evil.example\x07link\x1b]8;;\x07\x9b1m\x7f"
    "\u202etxet\u202c\u2066z\u2069\u200b\u200f\u061c\ufeff\u2028 \r\n\n# Heading\n- item\n1. one\n===\n~~~\n[l](http://evil.example) ![i](http://evil.example/i.png)"
    " `code` *em* _em_ ~~s~~ <http://evil.example> http://evil.example www.evil.example &lt;b&gt; &#x202e; [bold]x[/bold] | cell | $x$"
)
"""Everything that somebody might take for more than text."""
TEXT = MARKUP + "{{ 7 * 191 }}{% raw %}{# c #}"
STARTS = ("# Heading", "- item", "1. one", "===", "~~~", "> quote", "+ item", "    code", "| a | b |", "***", "[l]: http://evil.example", "<b>x</b>")
"""Texts that are Markdown where they begin a line."""
STEERING = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e007f]"
)
_SPOILED = ("command", "where", "note", "name")
"""Keys of texts that are shown and stand in one language."""


def written(folder: Path) -> Path:
    """The packaged rulebook in `folder`, hostile in every title, reason, claim, source, name of a card and command; rules still mean the same."""
    for name, content in bundle.gather(rulebook.packaged()).items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if name.endswith((".yaml", ".yml")):
            content = json.dumps(spoiled(document.plain(document.parse(content, name)), name)).encode()
        path.write_bytes(content)
    return folder


def spoiled(value: Any, file: str, key: str = "") -> Any:
    text = MARKUP if file.startswith("rules/") and key == "because" else TEXT
    if isinstance(value, dict):
        if set(value) == {"en", "zh"} and all(isinstance(v, str) for v in value.values()):
            return {la: v + text for la, v in value.items()}
        return {k: v + text if k in _SPOILED and isinstance(v, str) else spoiled(v, file, k) for k, v in value.items()}
    return [spoiled(v, file, key) for v in value] if isinstance(value, list) else value


# ------------------------------------------------------------ what is printed


def steers(text: str, tabs: bool = False) -> str:
    """The first few characters around one that steers a terminal; "" where there is none."""
    found = STEERING.search(text if tabs else text.replace("\t", "\x08"))
    return ascii(text[max(0, found.start() - 60) : found.end() + 20]) if found else ""


def marked_up(markdown: str) -> list[str]:
    """What in a Markdown text is more than text and ours: HTML, pictures, links but to sources, the heading that it wants to be, fences, emphasis."""
    faults = []
    tokens = MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(markdown)
    for number, token in enumerate(tokens):
        if token.type in ("html_block", "fence", "code_block", "hr", "ordered_list_open"):
            faults.append(f"{token.type}: {token.content[:80]!r}")
        if token.type == "heading_open" and tokens[number + 1].content.strip() in ("Heading", "~~~"):
            faults.append("a heading")
        if token.type == "blockquote_open" and not markdown.startswith("> entry 1"):
            faults.append("a quotation")
        for child in token.children or ():
            if child.type in ("html_inline", "image", "em_open", "s_open") or (child.type == "link_open" and "evil" in str(child.attrGet("href"))):
                faults.append(f"{child.type} {child.content[:80]!r} {child.attrs}")
    bare = re.search(r"(?<![<\\])\b(?:https?:(?=//)|www\.)", re.sub(r"<https?://[^>\s]*>|`[^`]*`", "", markdown))
    return faults + ([f"a bare link: {markdown[bare.start() : bare.end() + 40]!r}"] if bare else [])
