"""Turns a draft list of model architectures into catalogs/models.yaml.

The draft is a YAML list, one mapping a model, every value with the file it was
read from. The catalogue keys each value by the fact it fills (`model.layers`),
keeps everything else under `data`, and names each source once.

    python tools/convert_models.py draft.yaml catalogs/models.yaml \\
        --origins origins.md --rewordings rewordings.yaml

`--origins` is the table of public addresses behind copied configuration files;
`--rewordings` a list of [regular expression, replacement] for texts of the draft.
Errors: a duplicate id or a draft without a needed field ends with a message.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

Draft = Mapping[str, Any]

SHAPE = (
    "layers",
    "hidden_size",
    "intermediate_size",
    "gated_mlp",
    "attention_heads",
    "kv_heads",
    "head_size",
    "vocabulary_size",
    "kv_elements_per_token",
)
SIZE = ("size_class", "parameters", "active_parameters")

# Blocks of these differ along the network, or are no transformer at all: their
# dimensions would feed formulas that do not hold for them.
SHAPE_IS_DATA = frozenset({"image-diffusion", "video-diffusion"})
# A contrastive pair of towers: the vocabulary belongs to the text tower, the
# dimensions to the vision tower, and no logits are computed.
VOCABULARY_IS_DATA = frozenset({"clip"})

DATA = (
    "family",
    "modality",
    "tied_embeddings",
    "dtype",
    "max_positions",
    "sliding_window",
    "full_attention_layers",
    "kv_elements_per_token_beyond_window",
    "kv_cross_elements_per_encoder_token",
    "decoder_layers",
    "dense_intermediate_size",
    "experts",
    "mla",
    "parameters_from",
    "reference_from",
    "reference_kind",
    "card_parameters",
    "card_from",
)

# Names of a whole family: each stands for every model listed, for none exactly.
FAMILY_NAMES = {
    "mixtral": ("Mixtral-8x7B-v0.1", "Mixtral-8x22B-v0.1"),
    "command-r": ("c4ai-command-r-v01", "c4ai-command-r-08-2024"),
    "phi3": ("Phi-3-mini-4k-instruct", "Phi-3-medium-4k-instruct"),
    "qwen3-coder": ("Qwen3-Coder-480B-A35B-Instruct", "Qwen3-30B-A3B"),
    "stable-diffusion": (
        "stable-diffusion-v1-5",
        "stable-diffusion-xl-base-1.0",
        "stable-diffusion-3-medium",
        "stable-diffusion-3.5-large",
    ),
}
# Labels that name two models with a slash, and a pruned model with half the experts.
DROPPED_ALIASES = {"OPT-175B/BLOOM", "T0/T5-11B", "Qwen3.5-18B-REAP-A3B"}
# Values that a remark in the draft says were recalled, not read.
RECALLED = {"mpt-30b": ["max_positions"], "bloom-1b1": ["hidden_size"]}

PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9 _./+*%-]*(?<! )")
NUMBER_LIKE = re.compile(r"[-+]?(\d[\d_]*\.?\d*([eE][-+]?\d+)?|0[xo][0-9a-fA-F]+)|(?i:true|false|null)")
ORGANISATION = re.compile(r"[A-Za-z][A-Za-z-]*/(?P<tail>[\w.-]*[A-Za-z][\w.-]*)")
ENTRY_OF_FILE = re.compile(r"(?P<file>\S*model_preset\.py @\w+|\S*all_configs\.json) \((?P<entry>[^()]+)\)")
ADDRESS = re.compile(
    r"github\.com|https?://|wheel|arXiv|public repository"
    r"|diffusers|keras_hub|transformers|open_clip"
)


@dataclass(slots=True)
class Sources:
    """The distinct sources in order of first use, each with its confidence."""

    entries: dict[str, tuple[str, str]] = field(default_factory=dict)

    def key(self, where: str, confidence: str) -> str:
        """The key of a source, new on first sight."""
        for key, (known, _) in self.entries.items():
            if known == where:
                return key
        key = f"s{len(self.entries) + 1:03d}"
        self.entries[key] = (where, confidence)
        return key


@dataclass(frozen=True, slots=True)
class Entry:
    """One model of the catalogue, ready to be written."""

    id: str
    name: str
    aliases: list[str]
    ambiguous: list[str]
    sources: list[str]
    confidence: str
    weak: list[str]
    values: dict[str, Any]
    data: dict[str, Any]
    notes: list[str]


def identifier(name: str) -> str:
    """The id of a model: lower case, `1_5` as 1.5, without the `-hf` of a file layout.

    Dots stay, because opt-1.3b and opt-13b differ by nothing else.
    """
    dotted = re.sub(r"(?<=\d)_(?=\d)", ".", name.lower())
    return re.sub(r"[^a-z0-9.]+", "-", dotted).strip("-").removesuffix("-hf")


def matching_form(alias: str) -> str:
    """A name without case, space, dash and underscore: equal for its spellings."""
    return re.sub(r"[\s_-]", "", alias.lower())


@dataclass(frozen=True, slots=True)
class Wording:
    """How text of the draft that means something only beside the draft is put."""

    origins: Mapping[str, str]
    rewordings: Sequence[tuple[str, str]]

    def __call__(self, text: str) -> str:
        """The text with copied files and private references replaced by public ones."""
        for copy, address in self.origins.items():
            text = re.sub(rf"\S*{re.escape(copy)}", address, text)
        for pattern, replacement in self.rewordings:
            text = re.sub(pattern, replacement, text)
        return text.strip()


def parts_of(text: str) -> list[str]:
    """The parts of a text between semicolons that stand outside brackets."""
    parts, depth = [""], 0
    for character in text:
        depth += {"(": 1, ")": -1}.get(character, 0)
        if character == ";" and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return [part.strip() for part in parts if part.strip()]


def read_list(path: Path) -> list[Any]:
    """The list that a YAML file holds."""
    content: list[Any] = yaml.safe_load(path.read_text(encoding="utf-8"))
    return content


def read_origins(path: Path) -> dict[str, str]:
    """Public address of each copied file.

    The table's columns: file | bytes | repository | path | commit.
    """
    origins: dict[str, str] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if len(cells) >= 5 and "/" in cells[2] and " " not in cells[2]:
            origins[cells[0]] = f"github.com/{cells[2]} {cells[3]} @{cells[4]}"
    return origins


def split_source(text: str) -> tuple[list[str], list[str]]:
    """The sources that one draft text names, and remarks on the place in them."""
    places: list[str] = []
    remarks: list[str] = []
    for part in parts_of(text):
        for match in ENTRY_OF_FILE.finditer(part):
            file = match["file"].split("/")[-1].split(" ")[0]
            remarks.append(f"stands under {match['entry']} in {file}")
        part = ENTRY_OF_FILE.sub(lambda match: match["file"], part).strip()
        if ADDRESS.search(part):
            places.append(part)
        else:
            remarks.append(part)
    return places, remarks


def plain(value: Any) -> Any:
    """Booleans as the catalogue's yes and no, containers without empty members."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items() if item is not None}
    return value


def with_tails(names: Iterable[str]) -> list[str]:
    """Names without exact repeats, `organisation/name` followed by its bare name."""
    found: dict[str, None] = {}
    for name in names:
        found.setdefault(name)
        if match := ORGANISATION.fullmatch(name):
            found.setdefault(match["tail"])
    return list(found)


def set_aside(aliases: Iterable[str], names: Iterable[str]) -> list[str]:
    """The aliases that are no spelling of any of `names`."""
    forms = {matching_form(name) for name in names}
    return [alias for alias in aliases if matching_form(alias) not in forms]


def shared_forms(drafts: Iterable[Draft]) -> set[str]:
    """Matching forms that two or more models claim as an exact alias."""
    owners: dict[str, set[str]] = {}
    for draft in drafts:
        for alias in with_tails([draft["name"], *draft["aliases"]]):
            owners.setdefault(matching_form(alias), set()).add(draft["name"])
    return {form for form, names in owners.items() if len(names) > 1}


def convert(draft: Draft, sources: Sources, reworded: Wording, shared: set[str]) -> Entry:
    """One model of the draft as an entry of the catalogue; registers its sources."""
    name: str = draft["name"]
    values: dict[str, Any] = {}
    data: dict[str, Any] = {key: plain(draft[key]) for key in DATA if draft.get(key) is not None}
    for key in (*SIZE, *SHAPE):
        value = draft.get(key)
        if key == "active_parameters" and draft["experts"] is None:
            value = draft["parameters"]  # a dense model uses all of them for each token
        if value is None:
            continue
        if (key in SHAPE and draft["modality"] in SHAPE_IS_DATA) or (key == "vocabulary_size" and draft["family"] in VOCABULARY_IS_DATA):
            data[key] = plain(value)
        else:
            values[f"model.{key}"] = plain(value)
    if draft.get("formula_parameters") not in (None, draft.get("parameters")):
        data["formula_parameters"] = draft["formula_parameters"]
    for key in {"parameters_from", "reference_from", "card_from"} & data.keys():
        data[key] = reworded(data[key])

    if draft["confidence"] == "memory_only":
        weak = list(values)
    else:
        doubtful = [*(draft.get("not_in_parsed_source") or []), *RECALLED.get(name, [])]
        weak = sorted([f"model.{key}" for key in doubtful if f"model.{key}" in values] + [f"data.{key}" for key in doubtful if key in data])

    places, remarks = split_source(reworded(draft["source"]))
    kept = [part for part in parts_of(reworded(draft["notes"] or "")) if not part.startswith("formula error")]
    if kept:
        remarks.append("; ".join(kept))
    aliases = with_tails(set_aside(draft["aliases"], DROPPED_ALIASES))
    exact = set_aside(aliases, [*shared, *FAMILY_NAMES])
    families = [family for family, names in FAMILY_NAMES.items() if name in names]
    ambiguous = [alias for alias in aliases if matching_form(alias) in shared]
    return Entry(
        id=identifier(name),
        name=name,
        aliases=[alias for alias in exact if alias != name],
        ambiguous=ambiguous + families,
        sources=[sources.key(place, draft["confidence"]) for place in places],
        confidence=draft["confidence"],
        weak=weak,
        values=values,
        data=data,
        notes=remarks,
    )


def scalar(value: Any) -> str:
    """A value on one line of YAML 1.2, quoted only where plain would be misread."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {scalar(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(scalar(item) for item in value) + "]"
    text = str(value)
    if not isinstance(value, str) or (PLAIN.fullmatch(text) and not NUMBER_LIKE.fullmatch(text)):
        return text
    return json.dumps(text, ensure_ascii=False)


def written(sources: Sources, entries: Iterable[Entry]) -> str:
    """The catalogue as text; the same entries always give the same bytes."""
    lines = [
        "# Model architectures. `values` fill the facts of that name; `data` is kept",
        "# for people and for formulas. confidence: config_file = the model's own",
        "# configuration; framework_table = a framework's list of models; memory_only:",
        "# no source was found. `weak` names what the sources themselves do not hold.",
        "sources:",
    ]
    lines += [f"  {key}: {{where: {scalar(where)}, confidence: {confidence}}}" for key, (where, confidence) in sources.entries.items()]
    lines += ["models:"]
    for entry in entries:
        lines += [
            f"- id: {entry.id}",
            f"  name: {scalar(entry.name)}",
            f"  aliases: {scalar(entry.aliases)}",
        ]
        if entry.ambiguous:
            lines += [f"  ambiguous_aliases: {scalar(entry.ambiguous)}"]
        lines += [
            f"  from: {scalar(entry.sources)}",
            f"  confidence: {entry.confidence}",
        ]
        if entry.weak:
            lines += [f"  weak: {scalar(entry.weak)}"]
        lines += [f"  values: {scalar(entry.values)}", f"  data: {scalar(entry.data)}"]
        if entry.notes:
            lines += [f"  notes: {scalar(entry.notes)}"]
    return "\n".join(lines) + "\n"


def main() -> None:
    """Read the draft, write the catalogue."""
    parser = argparse.ArgumentParser(description="Turn a draft list of model architectures into the model catalogue.")
    parser.add_argument("draft", type=Path, help="YAML list of architectures")
    parser.add_argument("catalogue", type=Path, help="file to write")
    parser.add_argument(
        "--origins",
        type=Path,
        help="Markdown table of the public addresses of copied files",
    )
    parser.add_argument("--rewordings", type=Path, help="YAML list of [pattern, replacement] pairs")
    options = parser.parse_args()

    drafts: list[Draft] = read_list(options.draft)
    reworded = Wording(
        origins=read_origins(options.origins) if options.origins else {},
        rewordings=read_list(options.rewordings) if options.rewordings else [],
    )
    shared = shared_forms(drafts)
    sources = Sources()
    entries = [convert(draft, sources, reworded, shared) for draft in drafts]
    ids = [entry.id for entry in entries]
    if repeated := sorted({key for key in ids if ids.count(key) > 1}):
        parser.error(f"two models of the draft share an id: {', '.join(repeated)}")
    options.catalogue.write_text(written(sources, entries), encoding="utf-8")


if __name__ == "__main__":
    main()
