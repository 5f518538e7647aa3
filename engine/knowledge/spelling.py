"""Spellings: the keys under which a name is looked up, and what people write into a card's name besides: how many, how much memory.

Text only; what a name stands for is the catalogue's to say.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice, product

_MAKERS = {  # and series whose numbers are told apart without them
    "card": ("nvidia", "geforce", "tesla", "amd", "instinct", "huawei", "intel", "apple", "rtx", "gtx", "radeon", "rx"),
    "model": ("meta", "google", "microsoft", "alibaba", "openai", "nvidia", "ibm", "mistralai"),
}
_ENGLISH = str.maketrans({"×": "x", "✕": "x", "*": "x", "⨯": "x"})
_CHINESE = {"英伟达": "nvidia ", "华为": "huawei ", "昇腾": "ascend ", "英特尔": "intel ", "苹果": "apple ", "显存": ""}
_GAP = r"[\s_:()\[\]-]"
_VARIANTS = 128

_TUNED = "instruct|chat|hf|sft|dpo|rlhf"
_NUMBERS = (
    r"gptq|awq|gguf|ggml|exl[23]|mlx|eetq|hqq|aqlm|bnb|bitsandbytes|marlin|dynamic|quantized|i?q\d_[a-z0-9_]+|q\d"
    r"|(?:bf|fp|int|nf|nvfp|mxfp)\d+|\d+[-_ ]?bits?|w\d+a\d+|\d+(?:\.\d+)?[-_ ]?bpw|g\d+|\d+g"
)
_SHAPELESS = re.compile(rf"(?<![0-9a-z])(?:{_TUNED}|{_NUMBERS})(?![0-9a-z])")
_SHAPELESS_BESIDE_SIZE = re.compile(r"(?<![0-9a-z])(?:base|it|pt)(?![0-9a-z])")
_MODEL_SIZE = re.compile(r"\d(?:[._]\d+)?[bm](?![0-9a-z])")

_WORD_COUNTS = {"单": 1, "一": 1, "双": 2, "两": 2, "二": 2, "三": 3, "四": 4, "六": 6, "八": 8, "十": 10, "十六": 16}
_ENGLISH_COUNTS = {"single": 1, "dual": 2, "quad": 4}
_UNIT = r"(?:张卡|张|块|片|卡|个|路|枚|gpus?|cards?)"
_AMOUNT = rf"(?P<count>\d{{1,6}}|{'|'.join(sorted(_WORD_COUNTS, key=len, reverse=True))})"
_COUNTED = (
    re.compile(r"(?P<count>\d{1,6})\s*[x×*]\s*(?P<name>.+)", re.IGNORECASE),
    re.compile(rf"{_AMOUNT}\s*{_UNIT}\s*(?:的|of\b)?\s*(?P<name>.+)", re.IGNORECASE),
    re.compile(r"(?P<count>\d{1,6})\s+(?P<name>.+)"),
    re.compile(r"(?P<count>single|dual|quad)[\s-]+(?P<name>.+)", re.IGNORECASE),
    re.compile(r"(?P<name>.+?)[\s,]*[(\[]?\s*[x×*]\s*(?P<count>\d{1,6})\s*[)\]]?", re.IGNORECASE),
    re.compile(rf"(?P<name>.+?)[\s,]*[(\[]?\s*{_AMOUNT}\s*{_UNIT}\s*[)\]]?", re.IGNORECASE),
    re.compile(r"(?P<name>.+?)\s+(?P<count>\d{1,6})\s*[x×]", re.IGNORECASE),
)
_RESOURCE = re.compile(r"(?:gres[/:]|[a-z]+\.com/)?gpu(?::(?P<name>[^:=(),]+))?\s*[:=]\s*(\d{1,6})\s*(?:\(.*\))?", re.IGNORECASE)
"""A resource of a job queue or a cluster: `gpu:h100:4(IDX:0-3)`, `gres/gpu:p100=1`, `nvidia.com/gpu: 8`."""
_REQUEST = re.compile(r"(?P<name>[A-Za-z][^:=(),/\s]*):(\d{1,6})")
"""What a job asks for, `--gpus=h100:8`."""
_LISTED = re.compile(r"gpu \d+:\s*(?P<name>.*?)(?:\s*\(uuid:.*\))?", re.IGNORECASE)
"""A line of `nvidia-smi -L`."""
_NOISE = re.compile(r"(?<=.)[\s-]*(?:\bgpus?|显卡|加速卡|计算卡|卡)$", re.IGNORECASE)
_REMARK = re.compile(r"\s*[(\[](?:(?:google )?colab|kaggle|aws|gcp|azure|runpod|lambda|cloud|rented|dgx|hgx)[^)\]]*[)\]]$", re.IGNORECASE)
"""Where a card is, behind its name: `T4 (Colab)`."""
_LANES = re.compile(r".*(?:pci-?e(?:xpress)?|gen\s*\d|pci-?e[\s-]*\d(?:\.\d)?)\s*x(?:1|2|4|8|16)", re.IGNORECASE)
_MEMORY = re.compile(
    r"(?<![0-9A-Za-z.])(\d{1,6}(?:\.\d+)?)\s*(GiB|GB|G|MiB|MB)"
    r"(?:\s*(?:显存|v?ram\b|memory\b|each\b|per (?:card|gpu)\b|/ ?(?:card|gpu)\b|每卡|单卡))*(?![0-9A-Za-z])",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class CardName:
    """One way to read a card's name: the name proper, and how many cards it says. `lanes`: the number may count PCIe lanes."""

    name: str
    count: int | None = None
    lanes: bool = False


@dataclass(frozen=True, slots=True)
class Memory:
    """A size of memory inside a name: as written, in GB or GiB as people round it, and the name without it."""

    text: str
    size: float
    rest: str


def keys(name: str, kind: str) -> tuple[str, ...]:
    """The keys of a catalogue's own spelling: case, brackets and gaps ignored, except that a gap between two digits stays,
    for `Qwen2-57B` is not `Qwen25-7B`; with and without the maker's name; a model also without organisation or folder."""
    text = _plain(name)
    words = [text]
    last = re.sub(r"^[a-z]+\.com/", "", text) if kind == "card" else folders(text)[-1]
    if last != text and not last.isdigit():
        words.append(last)
    found = []
    for word in words:
        parts = re.split(r"[\s_-]+", word)
        found.append(word)
        while len(parts) > 1 and parts[0] in _MAKERS[kind]:
            word = word[len(parts[0]) :].lstrip(" _-")
            parts = parts[1:]
            found.append(word)
    return tuple(dict.fromkeys(k for k in (_squeezed(word, kind) for word in found) if k))


def folders(name: str) -> list[str]:
    """The parts of a model's path, or of its organisation and name."""
    return re.split(r"[/\\]|--", name)


def variants(key: str, kind: str) -> Iterator[str]:
    """Other keys that the key of a model may stand for: a gap between digits may be a decimal point (`Qwen2_5`, `llama-3-1`),
    but a dash before the size never is: `opt-1-3b` may be either of two models."""
    if kind != "model":
        return
    parts = re.split(r"((?<=\d)[_-](?=\d))", key)
    choices: list[tuple[str, ...]] = []
    for index, part in enumerate(parts):
        if index % 2 == 0:
            choices.append((part,))
        elif part == "_":
            choices.append(("_", ".", "-"))
        else:
            choices.append(("-",) if re.match(r"\d+(?:\.\d+)?[bm](?![a-z])", parts[index + 1]) else ("-", "."))
    yield from ("".join(chosen) for chosen in islice(product(*choices), 1, _VARIANTS))


def shapeless(name: str) -> str:
    """A model's name without the words that leave its shape alone: how it was tuned, in which numbers its weights are stored."""
    return "/".join(_shapeless(part) for part in folders(_plain(name)))


def _shapeless(text: str) -> str:
    text = _SHAPELESS.sub("", text)
    if _MODEL_SIZE.search(text):
        text = _SHAPELESS_BESIDE_SIZE.sub("", text)
    return re.sub(r"([\s_-])[\s_-]+", r"\1", re.sub(r"\.(?!\d)", "", text)).strip(" ._-")


def card_names(text: str) -> tuple[CardName, ...]:
    """The ways to read a card's name, the most literal first."""
    given = unicodedata.normalize("NFKC", text).strip()
    resource = _RESOURCE.fullmatch(given) or _REQUEST.fullmatch(given)
    if resource:
        return (CardName(resource["name"] or "", int(resource[2])),)
    listed = _LISTED.fullmatch(given)
    given = listed["name"] if listed else given
    found = [CardName(given)]
    lanes = _LANES.fullmatch(given) is not None
    for pattern in _COUNTED:
        match = pattern.fullmatch(given)
        if match:
            found.append(CardName(match["name"].strip(" ,;"), _amount(match["count"]), lanes))
    shorter = [(one, name) for one in found for name in (one.name, _NOISE.sub("", one.name), _NOISE.sub("", _REMARK.sub("", one.name)))]
    return tuple(dict.fromkeys(CardName(name, one.count, one.lanes) for one, name in shorter))


def count(text: str) -> int | None:
    """The number of cards that a text states in a queue's or in other words: `gres/gpu=4`, `4 张卡`, `双卡`, `x8`."""
    given = unicodedata.normalize("NFKC", text).strip()
    resource = _RESOURCE.fullmatch(given)
    if resource:
        return None if resource["name"] else int(resource[2])
    match = re.fullmatch(rf"{_AMOUNT}\s*{_UNIT}", given, re.IGNORECASE) or re.fullmatch(r"[x×*]\s*(\d{1,6})", given, re.IGNORECASE)
    return _amount(match[1]) if match else None


def memories(name: str) -> Iterator[Memory]:
    """Every size of memory that stands in a card's name, each with the rest of the name."""
    text = unicodedata.normalize("NFKC", name)
    for match in _MEMORY.finditer(text):
        unit = match[2].lower()
        size = float(match[1]) / (1024 if unit.startswith("m") else 1)
        rest = re.sub(r"\(\s*\)|\[\s*\]", " ", text[: match.start()] + " " + text[match.end() :])
        yield Memory(f"{match[1]} {match[2] if unit.startswith('m') else 'GB'}", size, rest.strip(" ,;/-_"))


def in_full(name: str) -> str:
    """A card's name with its memory written as catalogues do: `32GB` for `32G`."""
    return re.sub(r"(?<![0-9A-Za-z.])(\d{1,6})\s*Gi?B?(?![0-9A-Za-z])", r"\1GB", unicodedata.normalize("NFKC", name), flags=re.IGNORECASE)


def _amount(number: str) -> int:
    return (_WORD_COUNTS | _ENGLISH_COUNTS).get(number.casefold()) or int(number)


def _plain(name: str) -> str:
    text = unicodedata.normalize("NFKC", name)
    for word, english in _CHINESE.items():
        text = text.replace(word, english)
    return text.strip().casefold().translate(_ENGLISH)


def _squeezed(text: str, kind: str) -> str:
    """A text without gaps, but with a mark for a gap between two digits: `_` in a model where it was one, else `-`."""
    marked = re.sub(rf"(?<=\d)({_GAP}+)(?=\.?\d)", lambda gap: "\x01" if kind == "model" and "_" in gap[1] else "\x02", text)
    return re.sub(_GAP, "", marked).replace("\x01", "_").replace("\x02", "-")
