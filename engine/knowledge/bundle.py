"""A rulebook in one piece: its files as a mapping from names to bytes, and as one block of bytes that is the same everywhere."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

from gpurules.engine.knowledge import held, rulebook
from gpurules.engine.knowledge.rulebook import Files

Bundle = Mapping[str, bytes]
"""Files of a rulebook by name: rules/…, catalogs/…, schemas/…."""
PARTS = ("rules", "catalogs", "schemas")
SCHEMA = "schemas/rule.schema.json"
_MARK = b"gpurules rulebook 1\n"


def gather(files: Files) -> Bundle:
    """Every file of a rulebook that loading it reads."""
    parts = zip(PARTS, (files.rules, files.catalogs, files.schemas), strict=True)
    found = {shown: file.read_bytes() for name, part in parts for shown, file in rulebook.yaml_files(part, name)}
    return {**found, SCHEMA: files.schemas.joinpath("rule.schema.json").read_bytes()}


def files(bundle: Bundle) -> Files:
    """The files of a bundle as a loader takes them. Raises ValueError where a name is both a file's and a folder's."""
    root = held.planted(bundle)
    return Files(*(root.joinpath(part) for part in PARTS))


def pack(bundle: Bundle) -> bytes:
    """The bundle as bytes: names in order, each with its length and its content. The same files give the same bytes."""
    pieces = [_MARK]
    for name in sorted(bundle):
        pieces += [f"{len(bundle[name])} {name}\n".encode(), bundle[name]]
    return b"".join(pieces)


def unpack(content: bytes) -> Bundle:
    """The bundle that `pack` made the bytes of. Raises ValueError where it did not."""
    if not content.startswith(_MARK):
        raise ValueError("is no packed rulebook")
    found, position = {}, len(_MARK)
    while position < len(content):
        end = content.index(b"\n", position)
        size, _, name = content[position:end].decode().partition(" ")
        position = end + 1 + int(size)
        found[name] = content[end + 1 : position]
    return found


def digest(content: bytes) -> str:
    """`sha256:` and the digest of bytes as they are."""
    return "sha256:" + hashlib.sha256(content).hexdigest()
