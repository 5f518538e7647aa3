"""Stated values: the text that somebody gave for a fact -> the value it means, or what is wrong with it."""

from __future__ import annotations

import re
from collections.abc import Mapping as MappingABC

from gpurules.engine.knowledge import naming
from gpurules.engine.knowledge.catalog import Catalog
from gpurules.engine.knowledge.document import Listing, Mapping, Node, Scalar
from gpurules.engine.knowledge.naming import UnknownName
from gpurules.engine.knowledge.vocabulary import Definition, folded
from gpurules.engine.values import quantity
from gpurules.engine.values.interval import Interval, exceeds
from gpurules.engine.values.problem import GpurulesError, Problem, did_you_mean, printable
from gpurules.engine.values.quantity import QuantityError

Value = Interval | frozenset[str]
_SCALES = {
    "byte": ("GB", "MB"), "parameter": ("B", "M"), "W": ("kW",), "byte/s": ("GB/s",), "bit/s": ("Gb/s",), "FLOP/s": ("TFLOP/s",),
    "token": ("M", "B"), "s": ("h", "min"), "year": ("months",), "bit": ("byte",),
}  # fmt: skip
MAX_MEMBERS, _LONGEST = 500, 300
"""The longest list of members, and the longest text of a number or a member."""
_REMARK = re.compile(r"([^()（）]+?)\s*[(（]([^()（）]+)[)）]")
_VERSION = re.compile(r"(.*[^\s=@v])[\s=@v-]+(?:\d+(?:\.\d+)+\S*|b\d{3,5})")


def read(definition: Definition, node: Node, catalogs: MappingABC[str, Catalog]) -> Value:
    """The value that `node` states for the fact. Raises GpurulesError with every fault, each at its place."""
    if isinstance(node, Mapping) or (isinstance(node, Scalar) and node.kind == "null"):
        raise _error(node, definition, "GR302", "needs a value, not " + ("nothing" if isinstance(node, Scalar) else "a group of keys"), _example(definition))
    if definition.number:
        if isinstance(node, Listing):
            raise _error(node, definition, "GR302", "takes one value or a range, not a list", "write a range as 25..35 %; one scenario a file")
        return _number(definition, node)
    if isinstance(node, Listing) and len(node.items) > MAX_MEMBERS:
        raise _error(node, definition, "GR302", f"has a list of more than {MAX_MEMBERS} members", "name the few that it may be")
    values = [_members(definition, item, catalogs) for item in (node.items if isinstance(node, Listing) else (node,))]
    if not values:
        raise _error(node, definition, "GR302", "has an empty list", "name at least one member, or leave the fact out")
    return frozenset[str]().union(*values)


def _error(node: Node, definition: Definition, code: str, message: str, mend: str) -> GpurulesError:
    return GpurulesError([Problem(node.place, code, f"{definition.path} {message}", mend)])


def _example(definition: Definition) -> str:
    if not definition.number:
        return "write one of " + ", ".join(list(definition.members)[:8])
    return f"write a number in {definition.unit.text}, or leave the fact out" if definition.unit.text != "1" else "write a number, or leave the fact out"


def _number(definition: Definition, node: Scalar) -> Interval:
    if len(node.text) > _LONGEST:
        raise _error(node, definition, "GR303", f"'{printable(node.text, 40)}' is too long to be a quantity", "write a number of ordinary size")
    text = definition.words.get(folded(node.text)) or _remarked(definition, node.text) or node.text
    try:
        stated = quantity.read(text, definition.unit, definition.share)
    except QuantityError as error:
        raise _error(node, definition, "GR303", error.message, did_you_mean(node.text, definition.words, error.mend)) from None
    value = stated.within(definition.range)
    low, high = definition.range
    if exceeds(low, value.low) or exceeds(value.high, high) or value.low > value.high:
        shown = printable(node.text, 40)
        bounds = quantity.show(definition.range, definition.unit, definition.share)
        raise _error(node, definition, "GR304", f"'{shown}' is outside its plausible range, {bounds}", _meant(definition, node.text))
    if definition.integer and not all(end.is_integer() for end in value):
        raise _error(node, definition, "GR305", f"'{printable(node.text, 40)}' is not a whole number", "write a whole number")
    return Interval(min(max(value.low, low), high), max(min(value.high, high), low))  # what sticks out by less than the tolerance is moved in


def _remarked(definition: Definition, text: str) -> str:
    """The quantity of a word with a remark in brackets that says the same: `int8 (eetq)`."""
    match = _REMARK.fullmatch(text.strip())
    found = {definition.words.get(folded(part), "") for part in match.groups()} if match else {""}
    return found.pop() if len(found) == 1 else ""


def _meant(definition: Definition, text: str) -> str:
    """What an implausible number was probably meant to be: the same figure in a larger unit that lies in the range."""
    bare = text.strip()
    for unit in ("%",) if definition.share else _SCALES.get(definition.unit.text, ()):
        glued = f"{bare}{unit}" if unit in ("B", "M") else f"{bare} {unit}"
        try:
            value = quantity.read(glued, definition.unit, definition.share).within(definition.range)
        except QuantityError:
            continue
        if definition.range.low <= value.low and value.high <= definition.range.high:
            return f"did you mean '{glued}'?"
    return f"check the figure and its unit; a bare number is in {definition.unit.text}" if definition.unit.text != "1" else "check the figure"


def _members(definition: Definition, node: Node, catalogs: MappingABC[str, Catalog]) -> frozenset[str]:
    if not isinstance(node, Scalar):
        raise _error(node, definition, "GR302", "has a list or group inside a list", _example(definition))
    text = node.text.strip()
    if definition.type in ("card", "model"):
        return _entries(definition, node, text, catalogs[definition.type])
    whole = None if len(text) > _LONGEST else _member(definition, text)
    if whole is not None:
        return whole
    found: set[str] = set()
    for word in [text] if len(text) > _LONGEST else re.split(r"\s+or\s+|\s*[|,，、]\s*|\s*或\s*", text):
        members = None if len(word) > _LONGEST else _member(definition, word)
        if members is None:
            known = [*definition.members, *definition.aliases]
            mend = did_you_mean(word, known, "it may be " + ", ".join(list(definition.members)[:12]))
            raise _error(node, definition, "GR306", f"has no member '{printable(word, 40)}'", mend)
        found |= members
    return frozenset(found)


def _member(definition: Definition, word: str) -> frozenset[str] | None:
    """The members that a word means; a version of the program is left aside (`vllm 0.5.4`), a remark in brackets that is a
    word itself narrows what stands before it (`bf16 (mixed)`), and no other is passed over (`adam (8bit)`)."""
    key = folded(word)
    for member, title in definition.members.items():
        if key in (folded(member), folded(title.en), folded(title.zh)):
            return frozenset([member])
    if key in definition.aliases:
        return frozenset(definition.aliases[key])
    version = _VERSION.fullmatch(word.strip()) if definition.open else None
    if version:
        return _member(definition, version[1])
    remark = _REMARK.fullmatch(word.strip())
    both = [_member(definition, part) for part in remark.groups()] if remark else []
    return (both[0] & both[1] or None) if both and both[0] and both[1] else None


def _entries(definition: Definition, node: Scalar, text: str, catalog: Catalog) -> frozenset[str]:
    try:
        return frozenset(naming.named(text, catalog).ids)
    except UnknownName as error:
        if definition.open and text:
            return frozenset(["other"])
        raise _error(node, definition, "GR307", error.message, error.mend) from None
