"""Turn a draft table of cards and a list of second-source checks into catalogs/gpus.yaml.

    python tools/convert_gpus.py DRAFT.yaml tools/card_checks.yaml > catalogs/gpus.yaml

The draft is a list of cards whose every field names the sources it was taken from. The checks file mends the draft's
wording, adds names, and says what a second source gives for a field. What comes out is one entry a card, its values
keyed by the fact they fill, each with its sources and one confidence:

    checked    two or more sources with a known address agree
    datasheet  a vendor document, or a text that names the vendor document for the value
    table      another published table
    capture    printed by nvidia-smi, amd-smi or npu-smi on a machine that has the card
    weak       no source, or none whose address is known

A field that the draft leaves empty is left out. The same two files give the same bytes.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import yaml

Entry = Mapping[str, Any]

UNKNOWN_ADDRESS = "address is not known"
NO_SOURCE = "no source found"
STRENGTH = ("checked", "datasheet", "table", "capture", "weak")
"""Confidences, the strongest first."""

PCIE_GB_S = {3: 32, 4: 64, 5: 128}
"""GB/s of sixteen PCIe lanes by generation, both directions added."""

LINK_KINDS = (
    (re.compile(r"PCIe Gen\d"), "pcie"),
    (re.compile(r"NVLink \d bridge"), "nvlink_bridge"),
    (re.compile(r"NVLink \d"), "nvlink_switch"),
    (re.compile(r"Infinity Fabric"), "infinity_fabric"),
    (re.compile(r"HCCS"), "hccs"),
    (re.compile(r"RoCE"), "roce"),
    (re.compile(r"unified memory"), "unified_memory"),
)
"""How the draft's links begin, and the member of interconnect.kind that each is."""

DATA_FIELDS = ("form_factor", "slots", "year", "architecture", "memory_type", "ecc", "cooling", "bf16", "fp8")
DRAFT_FIELD = {"bf16": "bf16_support", "fp8": "fp8_support"}


@dataclass(frozen=True, slots=True, order=True)
class Source:
    """Where a value was read, and how that text came by it.

    `confidence` is datasheet, table, capture or memory_only; `second_hand` means that the vendor's own document was
    not opened; `derived` means that the value is arithmetic on other values.
    """

    where: str
    confidence: str
    second_hand: bool = False
    derived: bool = False

    @property
    def weak(self) -> bool:
        """Whether nobody could go and look."""
        return self.confidence == "memory_only" or UNKNOWN_ADDRESS in self.where

    @property
    def document(self) -> str:
        """The text itself, without what is said about it: two remarks on one page are one source."""
        return re.split(r" \(|;", self.where)[0]


@dataclass(frozen=True, slots=True)
class Value:
    """One figure of one card as the catalogue writes it (`24564 MiB`), with its sources and its confidence."""

    text: str
    sources: tuple[Source, ...]
    confidence: str


@dataclass(slots=True)
class Card:
    """One catalogue entry while it is being put together."""

    id: str
    name: str
    vendor: str
    aliases: list[str]
    ambiguous: list[str]
    values: dict[str, Value]
    data: dict[str, Any]
    notes: list[str] = field(default_factory=list)


TIER = Source(
    "derived: the vendor's product line (GeForce, Radeon RX: consumer; TITAN, RTX A, RTX Ada, RTX PRO Workstation, Radeon PRO: "
    "workstation; memory shared with the processor: integrated; the rest: data_center)",
    "table",
    derived=True,
)


TF32 = Source(
    "derived: NVIDIA cards have TF32 from compute capability 8.0 on (https://docs.nvidia.com/cuda/cuda-c-programming-guide/, compute capabilities)",
    "table",
    derived=True,
)


def identifier(name: str) -> str:
    """Return the id of a card name: no vendor, lower case, digits and dashes."""
    short = re.sub(r"^(NVIDIA|AMD|Huawei|Intel|Apple) ", "", name)
    return re.sub(r"[^a-z0-9]+", "-", short.lower()).strip("-")


def folded(name: str) -> str:
    """Return a name as look-ups compare it: lower case without spaces, dashes, underscores and brackets."""
    return re.sub(r"[\s\-_()\[\]]", "", name.lower())


def plain(number: float) -> str:
    """Return a number without a needless `.0`."""
    return str(int(number)) if float(number).is_integer() else str(number)


def confidence_of(sources: Sequence[Source]) -> str:
    """Return the best confidence among the sources whose address is known, or `weak`."""
    named = {source.confidence for source in sources if not source.weak}
    return next((level for level in STRENGTH if level in named), "weak")


def weaker(first: str, second: str) -> str:
    """Return the weaker of two confidences."""
    return max(first, second, key=STRENGTH.index)


def link_kind(label: str) -> str:
    """Return the member of interconnect.kind for a link's name in the draft. Raises ValueError for an unknown one."""
    for pattern, kind in LINK_KINDS:
        if pattern.match(label):
            return kind
    raise ValueError(f"unknown link {label!r}")


class Draft:
    """One card of the draft, with the wording of its sources mended."""

    def __init__(self, entry: Entry, wordings: Sequence[Entry]) -> None:
        self.entry = entry
        self.id = identifier(entry["name"])
        self._wordings = [w for w in wordings if w.get("card") in (None, self.id)]
        self._by_field: dict[str, list[Source]] = defaultdict(list)
        for source in entry["source"]:
            for name in source["fields"]:
                self._by_field[name].append(self._source(source))

    def _source(self, entry: Entry) -> Source:
        where = entry["where"] or NO_SOURCE
        for wording in self._wordings:
            where = wording["where"] if wording["draft"] in where else where
        second_hand = bool(entry["second_hand"])
        return Source(where, entry["confidence"], second_hand, bool(entry.get("derived")))

    def sources(self, *fields: str) -> tuple[Source, ...]:
        """Return the distinct sources of some fields, in the draft's order, the weak ones last."""
        found = dict.fromkeys(source for name in fields for source in self._by_field.get(name, ()))
        return tuple(sorted(found or [Source(NO_SOURCE, "memory_only")], key=lambda source: source.weak))

    def value(self, text: str, *fields: str) -> Value:
        """Return a value taken from some fields of the draft."""
        sources = self.sources(*fields)
        return Value(text, sources, confidence_of(sources))


def half_rate_field(rates: Entry) -> str | None:
    """Return which of bf16 and fp16 gives the half-precision rate: bf16 where the card has it."""
    return next((kind for kind in ("bf16", "fp16") if rates.get(kind) is not None), None)


def tf32_of(draft: Draft) -> Value | None:
    """Return whether a card has tf32: by its compute capability, or because a rate is published; None where neither tells."""
    capability = draft.entry["compute_capability"]
    if capability is not None:
        sources = (*draft.sources("compute_capability"), TF32)
        return Value("yes" if float(capability) >= 8.0 else "no", sources, TF32.confidence)
    return draft.value("yes", "tflops_dense.tf32") if draft.entry["tflops_dense"].get("tf32") is not None else None


def values_of(draft: Draft, pcie_source: Source) -> dict[str, Value]:
    """Return the facts that a card of the draft fills, in the catalogue's order."""
    card, link = draft.entry, draft.entry["link"]
    values: dict[str, Value] = {}

    def add(fact: str, number: float | None, unit: str, *fields: str) -> None:
        if number is not None:
            values[fact] = draft.value(f"{plain(number)} {unit}", *fields)

    add("gpu.memory_nominal", card["memory_nominal_gb"], "GB", "memory_nominal_gb")
    add("gpu.memory_usable", card["memory_usable_mib"], "MiB", "memory_usable_mib")
    add("gpu.memory_bandwidth", card["bandwidth_gb_s"], "GB/s", "bandwidth_gb_s")
    if kind := half_rate_field(card["tflops_dense"]):
        add("gpu.half_tensor_rate", card["tflops_dense"][kind], "TFLOP/s", f"tflops_dense.{kind}")
    tier = "integrated" if card["form_factor"] == "soc" else card["class"]
    values["gpu.tier"] = Value(tier, (TIER,), TIER.confidence)
    add("gpu.power_limit", card["tdp_w"], "W", "tdp_w")
    if card["compute_capability"] is not None:
        values["gpu.compute_capability"] = draft.value(card["compute_capability"], "compute_capability")
    if card["bf16_support"] is not None:
        values["gpu.bf16"] = draft.value("yes" if card["bf16_support"] else "no", "bf16_support")
    if tf32 := tf32_of(draft):
        values["gpu.tf32"] = tf32
    values["link.kind"] = draft.value(link_kind(link["kind"]), "link")
    add("link.bandwidth", link["bandwidth_bidirectional_gb_s"], "GB/s", "link")
    if card["pcie_gen"] is not None:
        lanes = 8 if link["kind"].endswith(" x8") else 16
        slot = draft.value(f"{PCIE_GB_S[card['pcie_gen']] * lanes // 16} GB/s", "pcie_gen")
        sources = tuple(dict.fromkeys((*slot.sources, pcie_source)))
        values["pcie.bandwidth"] = Value(slot.text, sources, weaker(slot.confidence, "table"))
    low, high = card["tdp_range_w"] or (None, None)
    for fact, watts in (("gpu.power_limit_lowest", low), ("gpu.power_limit_highest", high)):
        found = None if watts is None else draft.value(f"{watts} W", "tdp_range_w")
        if found is not None and (found.confidence == "capture" or fact.endswith("highest")):  # data sheets give a range of designs, not of limits
            values[fact] = found
    return values


def data_of(draft: Draft) -> dict[str, Any]:
    """Return what else is known of a card; `from` and `weak` say where each of these entries comes from."""
    card, link = draft.entry, draft.entry["link"]
    fields = {name: DRAFT_FIELD.get(name, name) for name in DATA_FIELDS}
    data: dict[str, Any] = {name: card[source] for name, source in fields.items() if card[source] is not None}
    data["tflops_dense"] = {kind: rate for kind, rate in card["tflops_dense"].items() if rate is not None}
    for name in ("tflops_unknown", "tflops_other_accumulate"):
        if card.get(name):
            data[name] = card[name]
    if kind := half_rate_field(card["tflops_dense"]):
        data["half_tensor_rate_of"] = kind
    data["tensor_cores"] = card["has_tensor_cores"]
    data["mig_instances"] = card["mig"]["max_instances"]
    low, high = card["tdp_range_w"] or (None, None)
    if high is not None:
        data |= {"tdp_range": [low, high]} if low is not None else {"tdp_high": high}
    data["link"] = {key: link[key] for key in ("kind", "max_domain", "note") if link.get(key) is not None}
    if link["bridge_only"]:
        data["link"]["bridge_sold_separately"] = True
    rates = [f"tflops_dense.{kind}" for kind in data["tflops_dense"]]
    drawn = {**{k: [v] for k, v in fields.items() if k in data}, "tflops_dense": rates, "mig_instances": ["mig"]}
    if high is not None:
        drawn["tdp_range" if low is not None else "tdp_high"] = ["tdp_range_w"]
    data["from"] = {name: draft.sources(*sources) for name, sources in drawn.items() if sources}
    data["weak"] = [name for name, sources in data["from"].items() if confidence_of(sources) == "weak"]
    # A table of rates may rest on a source for one precision only: name the others.
    data["weak"] += [name for name in rates if confidence_of(draft.sources(name)) == "weak"]
    return data


def notes_of(card: Entry, rewritten: Entry) -> list[str]:
    """Return the card's notes; `rewritten` gives another wording, or null for a note of no use to a reader."""
    notes = [*([card["memory_usable_note"]] if card.get("memory_usable_note") else []), *card["notes"]]
    return [text for note in notes if (text := rewritten.get(note, note)) is not None]


NUMBER = re.compile(r"(\d+(?:\.\d+)?) ?(.*)")
IN_BASE = {"GB": 1e9, "MiB": 2.0**20, "GiB": 2.0**30, "GB/s": 1e9, "TB/s": 1e12, "W": 1.0, "TFLOP/s": 1e12, "": 1.0}


def same(first: str, second: str, tolerance: float) -> bool:
    """Whether two value texts mean the same, numbers within a relative tolerance."""
    one, other = NUMBER.fullmatch(first), NUMBER.fullmatch(second)
    if one is None or other is None:
        return first == second
    a, b = (float(match[1]) * IN_BASE[match[2]] for match in (one, other))
    return abs(a - b) <= tolerance * max(abs(a), abs(b))


def apply_check(card: Card, check: Entry, source: Source, tolerance: float) -> None:
    """Lay a second source beside a value: confirm it, replace it (`mend: yes`), or note that the two differ.

    Raises ValueError where `agrees` is not what the two figures say.
    """
    fact = check["field"]
    value = card.values[fact]
    agrees = same(value.text, check["value"], tolerance)
    if agrees != (check["agrees"] == "yes"):
        raise ValueError(f"{card.id} {fact}: {value.text} against {check['value']}, yet agrees: {check['agrees']}")
    if agrees:
        sources = tuple(dict.fromkeys((*value.sources, source)))
        sources = tuple(sorted(sources, key=lambda item: item.weak))
        named = {item.document for item in sources if not item.weak and not item.derived}
        confidence = "checked" if len(named) > 1 else confidence_of(sources)
        card.values[fact] = replace(value, sources=sources, confidence=confidence)
    elif check.get("mend") == "yes":
        card.values[fact] = Value(check["value"], (source,), confidence_of((source,)))
        card.notes.append(f"{fact} was {value.text} in an earlier table; {check['reason']}")
    else:
        reason = f"; {check['reason']}" if "reason" in check else ""
        card.notes.append(f"{fact}: {check['value']} in {source.where}, {value.text} kept{reason}")


def add_names(cards: Mapping[str, Card], names: Iterable[Entry]) -> None:
    """Add the names of the checks file, then make every name that fits several cards ambiguous for all of them."""
    for entry in names:
        for card in (cards[identity] for identity in entry["cards"]):
            shared = entry.get("ambiguous", [])
            card.ambiguous += shared
            card.aliases += entry.get("exact", [])
            lost = {folded(name) for name in [*shared, *entry.get("not", [])]}
            card.aliases = [name for name in card.aliases if folded(name) not in lost]
    exact: dict[str, set[str]] = defaultdict(set)
    vague: dict[str, set[str]] = defaultdict(set)
    for card in cards.values():
        for name in (card.name, *card.aliases):
            exact[folded(name)].add(card.id)
        for name in card.ambiguous:
            vague[folded(name)].add(card.id)
    for card in cards.values():
        doubtful = [name for name in card.aliases if len(exact[folded(name)]) > 1 or folded(name) in vague]
        card.aliases = list(dict.fromkeys(name for name in card.aliases if name not in doubtful))
        card.ambiguous = list(dict.fromkeys([*card.ambiguous, *doubtful]))


def convert(draft: Entry, checks: Entry) -> list[Card]:
    """Return the catalogue's cards, in the draft's order. Raises ValueError or KeyError where the files do not fit."""
    cards: dict[str, Card] = {}
    pcie = Source(checks["pcie_table"], "table", second_hand=True)
    for entry in draft["cards"]:
        mended = Draft(entry, checks["wordings"])
        if mended.id in cards:
            raise ValueError(f"two cards with the id {mended.id}")
        values, data = values_of(mended, pcie), data_of(mended)
        notes = notes_of(entry, checks["notes"])
        aliases, ambiguous = list(entry["aliases"]), list(entry["ambiguous_aliases"])
        cards[mended.id] = Card(mended.id, entry["name"], entry["vendor"], aliases, ambiguous, values, data, notes)
    add_names(cards, checks["names"])
    seconds = {key: Source(entry["where"], entry["confidence"], entry.get("second_hand") == "yes") for key, entry in checks["second_sources"].items()}
    for check in checks["checks"]:
        tolerance = float(checks["tolerances"].get(check["field"], 0))
        apply_check(cards[check["card"]], check, seconds[check["by"]], tolerance)
    return list(cards.values())


PLAIN = re.compile(r"(?![\d.]+$)[A-Za-z0-9](?:[A-Za-z0-9 ._/+-]*[A-Za-z0-9.+])?")


def scalar(value: Any) -> str:
    """Return a YAML scalar that reads back as the same text, number, or yes/no."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float):
        return plain(value)
    text = str(value)
    return text if PLAIN.fullmatch(text) and text not in ("yes", "no", "true", "false", "null") else json.dumps(text, ensure_ascii=False)


def flow(value: Any) -> str:
    """Return a value in YAML's flow style, on one line."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key}: {flow(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(flow(item) for item in value) + "]"
    return scalar(value)


def numbered(cards: Iterable[Card]) -> dict[Source, str]:
    """Return the key of every source, in the order of first use."""
    keys: dict[Source, str] = {}
    for card in cards:
        listed = [*(value.sources for value in card.values.values()), *card.data["from"].values()]
        for source in (source for sources in listed for source in sources):
            keys.setdefault(source, f"s{len(keys) + 1:03d}")
    return keys


def lines(cards: Sequence[Card], header: str) -> Iterator[str]:
    """Yield the catalogue's lines."""
    keys = numbered(cards)
    yield from (f"# {line}".rstrip() for line in header.strip().splitlines())
    yield "sources:"
    for source, key in keys.items():
        entry: dict[str, Any] = {"where": source.where, "confidence": source.confidence}
        entry |= {"second_hand": True} if source.second_hand else {}
        entry |= {"derived": True} if source.derived else {}
        yield f"  {key}: {flow(entry)}"
    yield "cards:"
    for card in cards:
        yield f"- id: {card.id}"
        yield f"  name: {scalar(card.name)}"
        yield f"  vendor: {card.vendor}"
        yield f"  aliases: {flow(card.aliases)}"
        yield f"  ambiguous_aliases: {flow(card.ambiguous)}"
        yield "  values:"
        for fact, value in card.values.items():
            number: Any = float(value.text) if re.fullmatch(r"\d+\.\d+", value.text) else value.text
            text = value.text if isinstance(number, float) else scalar(number)
            sources = ", ".join(keys[source] for source in value.sources)
            yield f"    {fact}: {{value: {text}, from: [{sources}], confidence: {value.confidence}}}"
        yield "  data:"
        for name, item in card.data.items():
            shown = {k: [keys[source] for source in v] for k, v in item.items()} if name == "from" else item
            yield f"    {name}: {flow(shown)}"
        if card.notes:
            yield "  notes:"
            yield from (f"  - {scalar(note)}" for note in card.notes)


def main(arguments: Sequence[str] | None = None) -> int:
    """Read the two files named on the command line and print the catalogue; return the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("draft", type=Path, help="the table of cards with a source for every field")
    parser.add_argument("checks", type=Path, help="wordings, names and second sources (tools/card_checks.yaml)")
    paths = parser.parse_args(arguments)
    try:
        # BaseLoader for the checks: there every scalar is text, so that `yes` and `24 GB` stay as they are written.
        checks = yaml.load(paths.checks.read_text(encoding="utf-8"), Loader=yaml.BaseLoader)
        checks["notes"] = {entry["draft"]: entry.get("as") for entry in checks["notes"]}
        cards = convert(yaml.safe_load(paths.draft.read_text(encoding="utf-8")), checks)
    except (OSError, ValueError, KeyError, yaml.YAMLError) as problem:
        print(f"convert_gpus: {type(problem).__name__}: {problem}", file=sys.stderr)
        return 2
    print("\n".join(lines(cards, checks["header"])))
    return 0


if __name__ == "__main__":
    sys.exit(main())
