"""Mutations of files: bytes, characters, lines, tokens, numbers, units, keys, and the tree of the YAML. Every choice comes from the `Random` given."""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Callable, Sequence
from random import Random

import yaml

NOISE = (
    "\ufeff", "\u202e", "\u200f", "\u2066", "\x00", "\x07", "\x1b[31m", "\x7f", "\x85", "\u2028", "\u2029", "\u00a0", "\u3000", "\u200b", "\u0301", "é",
    "训练", "，", "：", "“", "（", "４", "٣", "½", "²", "ﬁ", "😀", "\U000e0041", "\ud800", "\t", "\r", "\r\n", "\n", "\\", '"', "'", "#", " #", ": ", "- ",
    "? ", "&a ", "*a", "!!str ", "!x ", "%", "%TAG ! x\n", "---\n", "...\n", "|\n", ">-\n", "{", "}", "[", "]", "{{", "}}", "{%", "{#", "<<", "~", "`", "@",
    '"\\ud800"', '"\\x00"', '"\\u202e"', "null", "true", ".inf", ".NAN", "-.INF", "0x10", "0o7", "1e400", "2026-01-01", "12:30:45",
)  # fmt: skip
NUMBERS = (
    "0", "-0", "-1", "1", "0.0", "1e400", "1e-400", "1e308", "-1e308", "1e999999999", "9" * 60, "9" * 401, "0x" + "f" * 500, ".inf", "-.INF", ".NaN", "nan",
    "inf", "1_000", "1,000", "1,00", "1.2.3", "..", "3..", "..3", "5..2", "2..5", ">= 3", "<= 3", ">", "0.30000000000000004", "1/3", "٣", "４", "half", "1e",
    "+5", "--5", "5 5", "007", "2.5", "16777217", "1e15", "1e21", "4294967296", "18446744073709551616",
)  # fmt: skip
UNITS = (
    "GB", "Gb", "GiB", "MiB", "TB", "W", "kW", "%", "GB/s", "Gb/s", "TFLOP/s", "h", "years", "B", "M", "USD", "USD/h", "CNY", "tokens", "bit", "byte", "s",
    "USD/kWh", "samples/s", "furlongs", "", "GB GB", "/s", "°C", "万", "亿参数", "元",
)  # fmt: skip
KEYWORDS = (
    "and", "or", "not", "in", "is", "if", "else", "lambda", "min", "max", "hull", "ceil", "floor", "round", "log2", "lookup", "divides", "==", "!=", "<", ">=",
    "(", ")", "+", "-", "*", "/", "**", "//", ".", ",", "=", "'lora'", "'", "True", "all", "any", "candidate", "derive", "assume", "ask", "require", "prefer",
    "step", "advise", "set", "yes", "no", "depends", "machine", "cases", "facts", "fires", "keys", "rows", "value", "since", "cites",
)  # fmt: skip
NUMBER = re.compile(r"(?<![\w.])-?\d[\d.,]*(?:[eE][+-]?\d+)?")
TOKEN = re.compile(r"[\w.]+|[^\w\s]")
UNIT = re.compile(r"(?<=\d)\s*(?:[A-Za-z%]+(?:/[A-Za-z]+)?)")


def _surrogate_bytes(error: UnicodeError) -> tuple[bytes, int]:
    """Bytes that were no UTF-8 come back as they were; other halves of characters as the three bytes that they would take."""
    assert isinstance(error, UnicodeEncodeError)
    halves = error.object[error.start : error.end]
    return b"".join(bytes([ord(h) - 0xDC00]) if 0xDC80 <= ord(h) <= 0xDCFF else h.encode("utf-8", "surrogatepass") for h in halves), error.end


codecs.register_error("surrogate_bytes", _surrogate_bytes)


class Mutations:
    """Mutations with a pool of files to take pieces from, and of words (facts, members, names)."""

    def __init__(self, files: Sequence[bytes], words: Sequence[str]) -> None:
        self.files, self.words = files, (*words, *KEYWORDS)
        self.textual: tuple[Callable[[Random, str], str], ...] = (
            self._line, self._line, self._token, self._token, self._number, self._number, self._unit, self._key, self._key, self._indent, self._noise,
            self._noise, self._tree, self._tree, self._splice, self._repeat, self._cut,
        )  # fmt: skip

    def mutated(self, random: Random) -> bytes:
        """One of the files after one to four mutations."""
        content = random.choice(self.files)
        for _ in range(random.choice((1, 1, 1, 2, 2, 3, 4))):
            if random.random() < 0.15:
                content = self._bytes(random, content)
            else:
                content = random.choice(self.textual)(random, content.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogate_bytes")
        return content

    def _bytes(self, random: Random, content: bytes) -> bytes:
        changed = bytearray(content or b"x")
        for _ in range(random.choice((1, 1, 2, 8))):
            at = random.randrange(len(changed))
            match random.randrange(4):
                case 0:
                    changed[at] ^= 1 << random.randrange(8)
                case 1:
                    changed[at] = random.randrange(256)
                case 2:
                    changed[at:at] = random.randbytes(random.choice((1, 2, 5)))
                case _:
                    del changed[at : at + random.choice((1, 2, 20))]
            changed = changed or bytearray(b"x")
        return bytes(changed)

    def _line(self, random: Random, text: str) -> str:
        lines = text.splitlines(keepends=True) or [""]
        one, other = random.randrange(len(lines)), random.randrange(len(lines))
        match random.randrange(5):
            case 0:
                lines.insert(other, lines[one])
            case 1:
                del lines[one]
            case 2:
                lines[one], lines[other] = lines[other], lines[one]
            case 3:
                lines.insert(one, random.choice(random.choice(self.files).decode("utf-8", "replace").splitlines(keepends=True)))
            case _:
                return text.replace("\n", random.choice(("\r\n", "\r", "\n\n", "\x85")))
        return "".join(lines)

    def _token(self, random: Random, text: str) -> str:
        found = list(TOKEN.finditer(text))
        if not found:
            return random.choice(self.words)
        one = random.choice(found)
        new = random.choice(found).group() if random.random() < 0.4 else random.choice(self.words)
        return text[: one.start()] + random.choice((new, new, new, "", f"{one.group()} {new}")) + text[one.end() :]

    def _number(self, random: Random, text: str) -> str:
        return self._replaced(random, text, NUMBER, random.choice(NUMBERS))

    def _unit(self, random: Random, text: str) -> str:
        return self._replaced(random, text, UNIT, random.choice(("", " ")) + random.choice(UNITS))

    def _replaced(self, random: Random, text: str, pattern: re.Pattern[str], new: str) -> str:
        found = list(pattern.finditer(text))
        if not found:
            return text + new
        one = random.choice(found)
        return text[: one.start()] + new + text[one.end() :]

    def _key(self, random: Random, text: str) -> str:
        found = list(re.finditer(r"[\w.]+(?=:)", text))
        if not found:
            return text + ": 1"
        one = random.choice(found)
        key, at = one.group(), random.randrange(len(one.group()))
        new = random.choice(
            (key[:at] + key[at + 1 :], key[:at] + key[at] + key[at:], key.upper(), key + ".", "." + key, key.replace(".", "_"), random.choice(self.words))
        )
        return text[: one.start()] + new + text[one.end() :]

    def _indent(self, random: Random, text: str) -> str:
        lines = text.split("\n")
        at = random.randrange(len(lines))
        lines[at] = random.choice(("  " + lines[at], lines[at].lstrip(), "\t" + lines[at], " " + lines[at], " " * 40 + lines[at]))
        return "\n".join(lines)

    def _noise(self, random: Random, text: str) -> str:
        at = random.randrange(len(text) + 1)
        return text[:at] + random.choice(NOISE) + text[at:]

    def _splice(self, random: Random, text: str) -> str:
        other = random.choice(self.files).decode("utf-8", "replace")
        return text[: random.randrange(len(text) + 1)] + other[random.randrange(len(other) + 1) :]

    def _repeat(self, random: Random, text: str) -> str:
        start = random.randrange(len(text) + 1)
        end = min(len(text), start + random.choice((1, 3, 10, 60)))
        return text[:start] + text[start:end] * random.choice((2, 3, 30, 300)) + text[end:]

    def _cut(self, random: Random, text: str) -> str:
        start = random.randrange(len(text) + 1)
        return random.choice((text[:start], text[start:], text[:start] + text[start + random.choice((1, 5, 50)) :]))

    # ------------------------------------------------------------ the tree

    def _tree(self, random: Random, text: str) -> str:
        """The document with one node changed, written out again in one of YAML's ways."""
        try:
            document = yaml.load(text, Loader=yaml.CBaseLoader)
        except (yaml.YAMLError, ValueError, RecursionError):
            return self._noise(random, text)
        document = self._node(random, document)
        written = json.dumps(document, ensure_ascii=random.random() < 0.5)
        if random.random() < 0.3 or any(0xD800 <= ord(c) < 0xE000 for c in json.dumps(document, ensure_ascii=False)):
            return written
        style, escaped = random.choice((None, True, False)), random.random() < 0.3
        return yaml.dump(document, Dumper=yaml.CSafeDumper, allow_unicode=not escaped, default_flow_style=style, sort_keys=False)

    def _node(self, random: Random, node: object) -> object:
        if isinstance(node, dict) and node and random.random() < 0.75:
            key = random.choice(list(node))
            match random.randrange(8):
                case 0:
                    return {k: v for k, v in node.items() if k != key}
                case 1:
                    return node | {random.choice(self.words): node[key]}
                case 2:
                    return node | {key: node[random.choice(list(node))]}
                case _:
                    return node | {key: self._node(random, node[key])}
        if isinstance(node, list) and node and random.random() < 0.75:
            at = random.randrange(len(node))
            match random.randrange(6):
                case 0:
                    return node[:at] + node[at + 1 :]
                case 1:
                    return node + [node[at]] * random.choice((1, 1, 40, 600))
                case _:
                    return [*node[:at], self._node(random, node[at]), *node[at + 1 :]]
        deep: object = node
        for _ in range(random.choice((1, 5, 30))):
            deep = random.choice(([deep], {"all": [deep]}, {"not": deep}, {random.choice(self.words): deep}))
        return random.choice(
            (
                None,
                "",
                [],
                {},
                [node],
                [node, node],
                {"value": node},
                deep,
                random.choice(self.words),
                random.choice(NUMBERS),
                random.choice(NOISE),
                str(node) * 30,
            )
        )
