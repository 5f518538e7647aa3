"""The structure of documents against their JSON Schema: every fault at the place of the value or key that causes it."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, cast

from gpurules.engine.knowledge import document
from gpurules.engine.knowledge.document import Mapping, Node
from gpurules.engine.values.problem import Place, Problem, did_you_mean, printable

if TYPE_CHECKING:
    from jsonschema.exceptions import ValidationError
    from jsonschema.protocols import Validator

Schema = dict[str, Any]
MAX_FAULTS = 100
"""Faults of one document that are listed."""
_FORMATS = {"GR401": "see the rule format in docs/rules.md", "GR202": "compare it with the packaged catalogue"}
"""Where the format is told of the documents that a code speaks of."""
_TYPES = {"object": "a group of keys", "array": "a list", "string": "text", "number": "a number", "boolean": "yes or no"}


def validator(schema: Schema) -> Validator:
    from jsonschema import Draft202012Validator  # here, since a cached rulebook needs no validator
    from jsonschema.validators import extend

    return cast("Validator", extend(Draft202012Validator, {"uniqueItems": _unique})(schema))  # type: ignore[no-untyped-call]


def _unique(validator: Validator, wanted: bool, instance: Any, schema: Schema) -> Iterator[ValidationError]:
    """The validator's own compares each item with each, which takes minutes for a list of thousands."""
    from jsonschema.exceptions import ValidationError

    seen: set[str] = set()
    for item in instance if wanted and isinstance(instance, list) else ():
        text = json.dumps(item, sort_keys=True)
        if text in seen:
            yield ValidationError(f"names '{printable(str(item), 40)}' twice")
            return
        seen.add(text)


def check(node: Node, against: Validator, code: str = "GR401") -> list[Problem]:
    """Every structural fault of a document, in file order."""
    errors = against.iter_errors(cast(Any, document.plain(node)))
    found = (problem for error in errors for problem in _problems(error, node, code))
    problems = list(itertools.islice(found, MAX_FAULTS))
    if len(problems) == MAX_FAULTS:
        problems.append(Problem(max(problems).place, code, "the file has more faults than are worth a list", "mend these, and try again"))
    return problems


def _problems(error: ValidationError, node: Node, code: str) -> Iterable[Problem]:
    if error.validator in ("anyOf", "oneOf") and error.context:
        deepest = [e for e in error.context if len(e.absolute_path) > len(error.absolute_path)]
        if deepest and isinstance(error.instance, dict | list):
            for inner in deepest:
                yield from _problems(inner, node, code)
            return
        keyed = [e for e in error.context if e.validator in ("additionalProperties", "maxProperties")]
        if keyed and isinstance(error.instance, dict):
            yield from _problems(keyed[0], node, code)
            return
    path, otherwise = list(error.absolute_path), _FORMATS.get(code, _FORMATS["GR401"])
    place = document.located(node, path)
    name = ".".join(str(p) for p in path) or "the file"
    if "propertyNames" in error.absolute_schema_path:
        key = str(error.instance)
        yield Problem(_key_place(node, path, key), code, f"'{printable(key, 40)}' cannot be a name in {name}", _example(error, otherwise))
        return
    if error.validator == "additionalProperties" and isinstance(error.instance, dict):
        yield from _unknown_keys(error, node, path, name, code)
        return
    yield Problem(place, code, *_worded(error, name, otherwise))


def _unknown_keys(error: ValidationError, node: Node, path: list[str | int], name: str, code: str) -> Iterable[Problem]:
    known = list(error.schema.get("properties", {})) if isinstance(error.schema, dict) else []
    instance: dict[str, Any] = cast(Any, error.instance)
    for key in instance:
        if key not in known:
            mend = did_you_mean(str(key), known, f"known keys: {', '.join(known)}" if known else "check the name")
            if instance[key] is None and " " in key:
                mend = "text with a comma in it goes in quotes"  # {en: One, two} has the keys en and two
            yield Problem(_key_place(node, path, str(key)), code, f"unknown key '{printable(str(key))}' in {name}", mend)


def _key_place(node: Node, path: list[str | int], key: str) -> Place:
    for step in path:
        if isinstance(node, Mapping):
            node = node.get(str(step)) or node
        elif isinstance(node, document.Listing) and isinstance(step, int):
            node = node.items[step]
    if isinstance(node, Mapping):
        return next((e.place for e in node.entries if e.key == key), node.place)
    return node.place


def _example(error: ValidationError, otherwise: str) -> str:
    """What the value should look like, by the schema's own example."""
    examples = error.schema.get("examples", ()) if isinstance(error.schema, dict) else ()
    return f"write it like {examples[0]}" if examples else otherwise


def _worded(error: ValidationError, name: str, otherwise: str) -> tuple[str, str]:
    value = cast(Any, error.validator_value)
    instance: Any = error.instance
    shown = printable(str(error.instance), 40)
    match str(error.validator):
        case "required":
            missing = [key for key in value if key not in instance]
            return f"{name} lacks {', '.join(missing)}", f"add {missing[0]}:" if missing else "complete it"
        case "enum":
            return f"{name} is '{shown}'", did_you_mean(str(error.instance), value, "write one of " + ", ".join(map(str, value)))
        case "type":
            wanted = value if isinstance(value, list) else [value]
            return f"{name} must be {' or '.join(str(_TYPES.get(t, t)) for t in wanted)}, not '{shown}'", _example(error, otherwise)
        case "pattern":
            return f"{name} is '{shown}'", _example(error, otherwise)
        case "uniqueItems":
            return f"{name} {error.message}", "keep one of the two"
        case "minItems" | "minProperties" | "minLength":
            return f"{name} is empty", "give at least one, or leave the key out where it may be left out"
        case "maxProperties":
            return (
                f"{name} has {len(instance)} keys, {', '.join(printable(str(k), 40) for k in instance)}",
                "write one key; begin each item of a list with its own -",
            )
        case "anyOf" | "oneOf":
            keys: list[str] = []
            for option in value:
                keys += [" and ".join(option["required"])] if "required" in option else []
            if keys:
                return f"{name} needs " + " or ".join(keys), "give one of them"
            types = [_TYPES.get(str(e.validator_value), "") for e in error.context or () if e.validator == "type"]
            return (
                f"{name} must be {' or '.join(dict.fromkeys(t for t in types if t)) or 'something else'}, not '{shown}'",
                otherwise,
            )
    return f"{name}: {printable(error.message, 160)}", otherwise
