"""Rulebooks as commands name them: a folder, a zip or tar archive, or a git revision with a colon, `HEAD~1:` or `v1.2:rulebook`."""

from __future__ import annotations

import subprocess
from pathlib import Path

from gpurules.engine import GpurulesError
from gpurules.engine.knowledge import archive, bundle
from gpurules.engine.knowledge.bundle import Bundle
from gpurules.engine.knowledge.rulebook import folder
from gpurules.engine.values.problem import Place, Problem, printable

MAX_ARCHIVE = 500_000_000


def named(name: str) -> Bundle:
    """The files of the rulebook with this name. Raises GpurulesError."""
    path, shown = Path(name), printable(name, 300)
    if path.is_dir():
        return bundle.gather(folder(path))
    if path.exists():
        if path.stat().st_size > MAX_ARCHIVE:
            raise GpurulesError(
                [Problem(Place(shown), "GR811", "is too large for the archive of a rulebook", "name an archive of rules/, catalogs/, schemas/")]
            )
        return archive.read(path.read_bytes(), shown)
    if ":" in name and not name.startswith("-"):
        return archive.read(_revision(name, shown), shown)
    raise _no_source(shown, "there is no such file or folder", "name a folder of rules, a .zip or .tar archive, or a revision with a colon: HEAD~1:")


def _no_source(shown: str, message: str, mend: str) -> GpurulesError:
    return GpurulesError([Problem(Place(shown), "GR811", message, mend)])


def _revision(name: str, shown: str) -> bytes:
    """A revision, or a folder of it, as git archives it. A path after the colon counts from the top of the repository."""
    try:
        top = _git(["rev-parse", "--show-toplevel"], None).decode().strip()
        return _git(["archive", "--format=tar", name], top)
    except FileNotFoundError:
        raise _no_source(shown, "needs git, which is not installed", "name a folder or an archive") from None
    except subprocess.CalledProcessError as error:
        said = printable(error.stderr.decode("utf-8", "replace").strip().partition("\n")[0], 200)
        raise GpurulesError(
            [Problem(Place(shown), "GR811", f"git does not give this revision: {said}", "name one that `git log` shows, with a colon behind it")]
        ) from None


def _git(arguments: list[str], top: str | None) -> bytes:
    return subprocess.run(["git", *arguments], cwd=top, check=True, capture_output=True).stdout
