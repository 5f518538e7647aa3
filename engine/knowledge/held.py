"""Files in memory, for loaders that take files of a disk or of a package: what was recorded, archived, or kept by git."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping
from importlib.resources.abc import Traversable
from pathlib import PurePosixPath
from typing import Any


class Held(Traversable):
    """A file (`content`), a folder (`children`), or, with neither, what is not there."""

    def __init__(self, name: str, content: bytes | None = None, children: dict[str, Held] | None = None) -> None:
        self._name, self.content, self.children = name, content, children

    @property
    def name(self) -> str:
        return self._name

    def is_dir(self) -> bool:
        return self.children is not None

    def is_file(self) -> bool:
        return self.content is not None

    def iterdir(self) -> Iterator[Traversable]:
        return iter((self.children or {}).values())

    def joinpath(self, *descendants: Any) -> Held:
        found = self
        for name in (part for one in descendants for part in PurePosixPath(one).parts):
            found = (found.children or {}).get(name) or Held(name)
        return found

    def __truediv__(self, child: Any) -> Held:
        return self.joinpath(child)

    def read_bytes(self) -> bytes:
        if self.content is None:
            raise FileNotFoundError(2, "there is no such file", self._name)
        return self.content

    def read_text(self, encoding: str | None = None, errors: str | None = None) -> str:
        return self.read_bytes().decode(encoding or "utf-8", errors or "strict")

    def open(self, mode: Any = "r", *args: Any, **settings: Any) -> Any:
        raw = io.BytesIO(self.read_bytes())
        return raw if "b" in mode else io.TextIOWrapper(raw, "utf-8")


def planted(files: Mapping[str, bytes]) -> Held:
    """The folder that holds `files`, each under its name: `rules/memory/X.yaml`. Raises ValueError where a file is also a folder."""
    root = Held("", children={})
    for path, content in files.items():
        folder = root
        *above, last = PurePosixPath(path).parts
        for name in above:
            assert folder.children is not None
            folder = folder.children.setdefault(name, Held(name, children={}))
            if folder.children is None:
                raise ValueError(f"{path}: {name} is a file")
        assert folder.children is not None
        if last in folder.children:
            raise ValueError(f"{path} stands twice, or is a folder")
        folder.children[last] = Held(last, content)
    return root
