"""The rulebook: rules, vocabulary, catalogues and claims of one folder tree, loaded, checked and identified by a digest."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path

from gpurules.engine.knowledge import catalog, catalog_lint, claims, contradiction, document, lint, prices, rulefile, structure, vocabulary
from gpurules.engine.knowledge.catalog import Catalog
from gpurules.engine.knowledge.claims import Register
from gpurules.engine.knowledge.contradiction import Contradiction
from gpurules.engine.knowledge.document import CATALOG_BYTES, CATALOG_NODES, Node
from gpurules.engine.knowledge.order import Derivation, Orders
from gpurules.engine.knowledge.prices import Prices
from gpurules.engine.knowledge.rule import Rule
from gpurules.engine.knowledge.vocabulary import Localized, Vocabulary
from gpurules.engine.values import canonical
from gpurules.engine.values.heap import growing
from gpurules.engine.values.problem import GpurulesError, Place, Problem

SEMANTICS = 1
"""Number of the semantics (docs/semantics.md) that this engine implements; part of every digest."""
MAX_FILES = 20_000
_ABOUT: structure.Schema = {
    "type": "object",
    "required": ["version", "released"],
    "properties": {
        "version": {"type": "string", "pattern": r"^[0-9]+\.[0-9]+\.[0-9]+$", "examples": ["1.0.0"]},
        "released": {"type": "string", "pattern": "^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$", "examples": ["2026-11-30"]},
        "not_covered": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["en", "zh"],
                "properties": {"en": {"type": "string", "minLength": 1}, "zh": {"type": "string", "minLength": 1}},
            },
        },
    },
}
"""What rules/rulebook.yaml says of the rulebook as a whole."""


@dataclass(frozen=True, eq=False)
class Rulebook:
    """A checked rulebook. `rules` holds every rule by id, running or not; `orders` which comes before which."""

    version: str
    released: str
    digest: str
    rules: Mapping[str, Rule]
    orders: Orders
    vocabulary: Vocabulary
    catalogs: Mapping[str, Catalog]
    register: Register
    contradictions: tuple[Contradiction, ...] = ()
    prices: Prices = field(default_factory=Prices)
    not_covered: tuple[Localized, ...] = ()
    """What a buyer has to settle and no rule speaks of."""

    @property
    def derivations(self) -> Mapping[str, Derivation]:
        return self.orders.derivations

    @property
    def running(self) -> tuple[Rule, ...]:
        return tuple(r for r in self.rules.values() if r.running)


def slim(rulebook: Rulebook) -> Rulebook:
    """The rulebook without what only checking and browsing read: sources of rules, cases, notes of catalogues."""
    nothing = document.Mapping((), Place(""))
    rules = {id_: replace(r, root=nothing, cases=(), conditions=()) for id_, r in rulebook.rules.items()}
    catalogs = {kind: c.slim() for kind, c in rulebook.catalogs.items()}
    return replace(rulebook, rules=rules, catalogs=catalogs)


@dataclass(frozen=True, slots=True)
class Files:
    """Where a rulebook's parts lie: folders of the disk, or of the installed package."""

    rules: Traversable
    catalogs: Traversable
    schemas: Traversable


def packaged() -> Files:
    return Files(resources.files("gpurules.rules"), resources.files("gpurules.catalogs"), resources.files("gpurules.schemas"))


def folder(path: Path) -> Files:
    """The rules of a folder; with `rules/` inside, also its own catalogs/ and schemas/ where it has them. The rest is packaged."""
    if not path.is_dir():
        raise GpurulesError([Problem(Place(str(path)), "GR001", "is no folder of rules", "name a folder that holds <ID>-<slug>.yaml files")])
    own = packaged()
    inner = {name: path / name if (path / "rules").is_dir() and (path / name).is_dir() else None for name in ("rules", "catalogs", "schemas")}
    rules = inner["rules"] or path
    if next((shown for shown, _ in yaml_files(rules, "rules") if shown != "rules/rulebook.yaml"), None) is None:
        raise GpurulesError([Problem(Place(str(path)), "GR001", "holds no rules", "name a folder that holds <ID>-<slug>.yaml files")])
    return Files(rules, inner["catalogs"] or own.catalogs, inner["schemas"] or own.schemas)


def fingerprint(files: Files) -> str:
    """A digest of the bytes of every file of a rulebook, read but not parsed; for finding what was compiled from them."""
    found = hashlib.sha256()
    parts = (("rules", files.rules), ("catalogs", files.catalogs), ("schemas", files.schemas))
    for name, part in parts:
        for shown, file in yaml_files(part, name):
            content = file.read_bytes()
            found.update(f"{shown}\0{len(content)}\0".encode())
            found.update(content)
    found.update(files.schemas.joinpath("rule.schema.json").read_bytes())
    return found.hexdigest()


def load(files: Files | None = None) -> Rulebook:
    """The rulebook of `files` (the packaged one by default). Raises GpurulesError with every problem of every file."""
    with growing():
        return _Loader(files or packaged()).load()


class _Loader:
    def __init__(self, files: Files) -> None:
        self.files = files
        self.problems: list[Problem] = []
        self.plain: dict[str, object] = {}
        self.data: dict[str, Node] = {}
        self.outside: tuple[Localized, ...] = ()

    def load(self) -> Rulebook:
        catalogs = {kind: catalog.load(self._data(name), kind) for kind, name in (("card", "gpus.yaml"), ("model", "models.yaml"))}
        register, priced = claims.load(self._data("claims.yaml"), self._data("conflicts.yaml")), self._prices()
        words, contradictions = self._vocabulary(catalogs)
        self.problems += catalog_lint.referring(self.data, words, catalogs)
        about, rules = self._rules()
        self._stop()
        orders, problems = lint.check(rules, words, register, catalogs)
        self.problems += problems
        self._stop()
        digest = canonical.digest({"semantics": SEMANTICS, "documents": self.plain})
        return Rulebook(about["version"], about["released"], digest, rules, orders, words, catalogs, register, contradictions, priced, self.outside)

    def _stop(self) -> None:
        if self.problems:
            raise GpurulesError(self.problems)

    def _read(self, file: Traversable, shown: str, large: bool) -> Node | None:
        try:
            with file.open("rb") as stream:
                content = stream.read((CATALOG_BYTES if large else document.MAX_BYTES) + 1)
            limits = (CATALOG_BYTES, CATALOG_NODES) if large else (document.MAX_BYTES, document.MAX_NODES)
            node = document.parse(content, shown, *limits)
        except GpurulesError as error:
            self.problems.extend(error.problems)
            return None
        except OSError as error:
            self.problems.append(Problem(Place(shown), "GR001", f"cannot be read: {error.strerror}", "check the rulebook's folders"))
            return None
        return node

    def _data(self, name: str) -> object:
        """The file catalogs/`name` as plain data, once its structure holds."""
        shown = f"catalogs/{name}"
        node = self._read(self.files.catalogs.joinpath(name), shown, True)
        if node is not None:
            self.problems += catalog_lint.structural(name, node)
        self._stop()
        assert node is not None
        self.data[name], self.plain[shown] = node, document.plain(node)
        return self.plain[shown]

    def _prices(self) -> Prices:
        """Example prices, where the rulebook has any."""
        held = self.files.catalogs.joinpath("prices.yaml").is_file()
        return prices.load(self._data("prices.yaml")) if held else Prices()

    def _vocabulary(self, catalogs: Mapping[str, Catalog]) -> tuple[Vocabulary, tuple[Contradiction, ...]]:
        documents: dict[str, Node] = {}
        for shown, file in yaml_files(self.files.schemas.joinpath("vocabulary"), "schemas/vocabulary"):
            node = self._read(file, shown, False)
            if node is not None:
                documents[shown] = node
                self.plain[shown] = document.plain(node)
        self._stop()
        words = vocabulary.load(documents, {kind: c.members for kind, c in catalogs.items()})
        return words, contradiction.load(documents, words)

    def _schema(self) -> structure.Schema:
        try:
            found = json.loads(self.files.schemas.joinpath("rule.schema.json").read_text("utf-8"))
        except (OSError, ValueError):
            found = None
        if not isinstance(found, dict):
            where = Place("schemas/rule.schema.json")
            raise GpurulesError([Problem(where, "GR001", "cannot be read, or is no JSON Schema", "copy it from the packaged schemas/")]) from None
        return found

    def _rules(self) -> tuple[dict[str, str], dict[str, Rule]]:
        schema = structure.validator(self._schema())
        about = {"version": "0.0.0", "released": "1970-01-01"}
        found: dict[str, Rule] = {}
        for number, (shown, file) in enumerate(yaml_files(self.files.rules, "rules")):
            if number > MAX_FILES:
                self.problems.append(Problem(Place("rules"), "GR001", f"holds more than {MAX_FILES:,} files", "is this the folder of rules?"))
                break
            node = self._read(file, shown, False)
            if node is None:
                continue
            plain = document.plain(node)
            if shown == "rules/rulebook.yaml":
                faults = structure.check(node, structure.validator(_ABOUT))
                self.problems += faults
                if not faults and isinstance(plain, dict):
                    self.outside = tuple(Localized(text["en"], text["zh"]) for text in plain.get("not_covered", ()))
                about = {key: str(plain.get(key, value)) if isinstance(plain, dict) else value for key, value in about.items()}
                self.plain[shown] = plain
                continue
            faults = structure.check(node, schema)
            if faults:
                self.problems += faults
                continue
            one, faults = rulefile.read(node)
            self.problems += faults
            if one is None:
                continue
            if one.id in found:
                first = found[one.id].place.file
                self.problems.append(
                    Problem(one.where("id"), "GR402", f"rule {one.id} also stands in {first}", "give it the next free id; an id is never used again")
                )
                continue
            found[one.id] = one
            self.plain[f"rules/{one.id}"] = plain
        return about, dict(sorted(found.items()))


def yaml_files(folder: Traversable, shown: str) -> Iterator[tuple[str, Traversable]]:
    """Every YAML file below a folder in a fixed order, with its path from there. Links are not followed upwards: depth is bounded."""
    pending = [(shown, folder, 0)]
    while pending:
        path, node, depth = pending.pop(0)
        if not node.is_dir():
            continue
        for child in sorted(node.iterdir(), key=lambda c: c.name):
            if child.name.endswith((".yaml", ".yml")) and child.is_file():
                yield f"{path}/{child.name}", child
            elif depth < 8 and not child.name.startswith((".", "__")):
                pending.append((f"{path}/{child.name}", child, depth + 1))
