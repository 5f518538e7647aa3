"""Rulebooks in zip and tar archives."""

from __future__ import annotations

import io
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import closing
from pathlib import PurePosixPath

from gpurules.engine.knowledge import rulebook
from gpurules.engine.knowledge.bundle import PARTS, Bundle, gather
from gpurules.engine.knowledge.document import CATALOG_BYTES
from gpurules.engine.values.problem import GpurulesError, Place, Problem, printable

MAX_TOTAL = 100_000_000
"""Bytes of all files of a rulebook together, once unpacked."""
_YAML = (".yaml", ".yml")


def read(content: bytes, shown: str) -> Bundle:
    """The rulebook in a zip or tar archive: the highest folder that holds rules/, or else all YAML files as rules.

    Parts that it lacks are the packaged ones. Raises GpurulesError where it is no archive, holds no rules or would unpack to too much.
    """
    try:
        members = dict(_limited(_members(content), shown))
    except (tarfile.TarError, zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError, OSError):
        mend = "name a folder of rules, a .zip or .tar archive, or a revision with a colon: HEAD~1:"
        raise GpurulesError([Problem(Place(shown), "GR811", "is no zip or tar archive, or a damaged one", mend)]) from None
    tops = sorted((above for path in members for above in path.parents if above.name == "rules"), key=lambda p: (len(p.parts), str(p)))
    if tops:
        base = tops[0].parent
        inner = {p.relative_to(base): c for p, c in members.items() if p.is_relative_to(base)}
        own = {str(p): c for p, c in inner.items() if p.parts[0] in PARTS}
    else:
        own = {f"rules/{path}": c for path, c in members.items()}
    if not any(name.startswith("rules/") and name.endswith(_YAML) and name != "rules/rulebook.yaml" for name in own):
        raise GpurulesError([Problem(Place(shown), "GR001", "holds no rules", "name an archive with a folder rules/, or of <ID>-<slug>.yaml files")])
    missing = [part for part in PARTS if not any(name.startswith(f"{part}/") for name in own)]
    packaged = {n: c for n, c in gather(rulebook.packaged()).items() if n.partition("/")[0] in missing} if missing else {}
    return {**packaged, **own}


def _members(content: bytes) -> Iterator[tuple[PurePosixPath, int, bytes]]:
    """Path, size as told and content of each file that may belong to a rulebook."""
    if zipfile.is_zipfile(io.BytesIO(content)):
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            for info in archive.infolist():
                if not info.is_dir() and _wanted(info.filename):
                    with archive.open(info) as file:
                        yield PurePosixPath(info.filename), info.file_size, file.read(CATALOG_BYTES + 1)
        return
    with closing(tarfile.open(fileobj=io.BytesIO(content))) as tar:
        for member in tar:
            if member.isfile() and _wanted(member.name):
                one = tar.extractfile(member)
                yield PurePosixPath(member.name), member.size, one.read(CATALOG_BYTES + 1) if one else b""


def _wanted(name: str) -> bool:
    path = PurePosixPath(name)
    return name.endswith((*_YAML, "rule.schema.json")) and ".." not in path.parts and not path.is_absolute()


def _limited(members: Iterator[tuple[PurePosixPath, int, bytes]], shown: str) -> Iterator[tuple[PurePosixPath, bytes]]:
    total = 0
    for number, (path, size, content) in enumerate(members, 1):
        total += len(content)
        if max(size, len(content)) > CATALOG_BYTES or total > MAX_TOTAL or number > rulebook.MAX_FILES:
            message = f"unpacks to more than a rulebook may hold, at {printable(str(path))}"
            raise GpurulesError([Problem(Place(shown), "GR811", message, "is this the archive of a rulebook?")])
        yield path, content
