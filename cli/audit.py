"""`gpurules audit`: the record of decisions: list, show, verify, export."""

from __future__ import annotations

import base64
import json
import re
import sys
from typing import Any

import click

from gpurules.cli import output
from gpurules.cli import store as stores
from gpurules.cli.language import language_option
from gpurules.engine import GpurulesError
from gpurules.engine.records import record
from gpurules.engine.records.record import Entry
from gpurules.engine.records.store import Store
from gpurules.engine.values import canonical
from gpurules.engine.values.problem import Place, Problem, printable

EXPECTED = re.compile(r"([0-9]{1,18}):((?:sha256:)?[0-9a-f]{64})")


@click.group("audit")
def command() -> None:
    """The record of decisions that `gpurules evaluate --record` keeps.

    It lies where programs of this platform keep their data, or where GPURULES_STORE says: a path, or postgresql://user@host/database.
    """


@command.command("list")
@click.option("--limit", type=click.IntRange(1, 1_000_000), default=20, show_default=True, help="How many, newest first.")
@click.option("--before", type=click.IntRange(1), metavar="NUMBER", help="Only entries before this one.")
@click.option("--format", "format_", type=click.Choice(["text", "json"]), default="text", show_default=True, help="What to print; json is one entry a line.")
def list_(limit: int, before: int | None, format_: str) -> None:
    """List entries, newest first: number, hash, when, who, facts file, status, rulebook."""
    with stores.opened() as store:
        for number, hash_, text in store.heads(limit, before):
            if format_ == "json":
                output.json({"hash": hash_, "entry": _head(text)})
                continue
            head = _head(text)
            shown = [str(number), hash_.removeprefix("sha256:")[:12], *(str(head.get(k, "")) for k in ("recorded", "by", "file", "status"))]
            book = head["rulebook"] if isinstance(head.get("rulebook"), dict) else {}
            click.echo("\t".join(printable(part) for part in (*shown, f"{book.get('version', '')} {str(book.get('digest', ''))[:19]}…")))


@command.command("show")
@click.argument("entry", metavar="ID")
@click.option("--format", "format_", type=click.Choice(["text", "markdown", "json"]), default="text", show_default=True, help="What to print of the decision.")
@click.option("--part", type=click.Choice(["facts", "waivers", "head"]), help="Print, instead of the decision, the file as it was given, or the entry's head.")
@language_option
def show(entry: str, format_: str, part: str | None, language: str) -> None:
    """Show one entry, by number or by the first digits of its hash: what was asked, by whom, and what was decided."""
    with stores.opened() as store:
        found = record.entry(store, entry)
    if part in ("facts", "waivers"):
        content = found.asked.facts if part == "facts" else found.asked.waivers
        if content is None:
            raise GpurulesError([Problem(Place(f"entry {found.number}"), "GR804", "has no waivers", "leave --part out")])
        if sys.stdout.isatty():
            for text in content.decode("utf-8", "backslashreplace").splitlines():
                output.line(text)
        else:
            sys.stdout.buffer.write(content)  # byte by byte as it was given
    elif part == "head":
        output.json({"hash": found.hash, "entry": dict(found.head)})
    elif format_ == "json":
        output.json_text(found.decision.decode())
    else:
        from gpurules.cli.printing import report_text
        from gpurules.engine.reports.markdown import escaped

        for line in _told(found):
            click.echo(f"> {escaped(line)}  " if format_ == "markdown" else line)
        click.echo()
        sys.stdout.write(report_text(found.document, format_, language, None))


@command.command("verify")
@click.option("--expect", multiple=True, metavar="NUMBER:HASH", help="A hash that was told when the entry was recorded; may be given several times.")
def verify(expect: tuple[str, ...]) -> None:
    """Verify every entry in order, and name the first that was changed, removed or moved.

    Whoever can write the whole store can also write it anew with other contents, or cut its end. That is found by a hash kept elsewhere:
    --expect. Exit codes: 0 sound; 1 an entry is bad; 2 the store cannot be read.
    """
    expected = _expected(expect)
    with stores.opened() as store:
        found = _verified(store, expected)
    sound = "1 entry" if found.sound == 1 else f"{found.sound:,} entries"
    if found.bad is not None or found.fault:
        click.echo(f"entry {found.bad} {printable(found.fault, 400)}", err=True)
        click.echo(f"{sound} before it {'is' if found.sound == 1 else 'are'} sound")
        sys.exit(1)
    click.echo(("1 entry, sound" if found.sound == 1 else f"{sound}, all sound") + (f"; the last is {found.sound}:{found.hash}" if found.sound else ""))


def _verified(store: Store, expected: dict[int, str]) -> record.Verdict:
    if not sys.stderr.isatty():
        return record.verify(store, expected)
    with click.progressbar(length=max(1, store.last()[0]), label="verifying", file=sys.stderr, update_min_steps=100) as bar:
        return record.verify(store, expected, lambda number: bar.update(1))


@command.command("export")
@click.argument("entries", nargs=-1, metavar="[ID]...")
def export(entries: tuple[str, ...]) -> None:
    """Print entries, all or those named, as JSON Lines: complete, so that others can check them without this program.

    A line `rulebook` holds the files of a rulebook and comes before the first entry that names it. A line `entry` holds the entry's head, its
    hash (the SHA-256 of the head as canonical JSON), the facts and waivers as given, and the decision.
    """
    with stores.opened() as store:
        told = set[str]()
        for found in (record.entry(store, name) for name in entries) if entries else record.entries(store):
            digest = found.head["rulebook"]["digest"]
            if digest not in told:
                told.add(digest)
                files = record.rulebook(store, digest)
                output.json({"rulebook": digest, "files": {name: _text(content) for name, content in (files or {}).items()}})
            waivers = _text(found.asked.waivers) if found.asked.waivers is not None else None
            line = {"hash": found.hash, "entry": dict(found.head), "facts": _text(found.asked.facts), "waivers": waivers, "decision": found.document}
            output.json(line)


def _text(content: bytes) -> object:
    """Bytes as text where that gives the same bytes back; else in base64, and said so."""
    try:
        text = content.decode()
        if json.loads(canonical.dumps(text)) == text:
            return text
    except UnicodeDecodeError:
        pass
    return {"base64": base64.b64encode(content).decode()}


def _head(text: str) -> dict[str, Any]:
    """The head of an entry as data; an empty one where it is damaged, which `verify` names."""
    try:
        found = json.loads(text)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _told(entry: Entry) -> list[str]:
    """What is known of how an entry came about."""
    head = entry.head
    lines = [f"entry {entry.number}  {entry.hash}", f"recorded {head['recorded']} by {head['by'] or '(unknown)'} from {head['file']}"]
    if head["settings"]:
        lines.append("with " + ", ".join(f"--set {path}={text}" for path, text in head["settings"]))
    if head["date"]:
        lines.append(f"decided for {head['date']}")
    if head["waivers"]:
        lines.append(f"with waivers, judged as of {head['as_of']}")
    return [printable(line, 400) for line in lines]


def _expected(texts: tuple[str, ...]) -> dict[int, str]:
    found: dict[int, str] = {}
    problems = []
    for text in texts:
        matched = EXPECTED.fullmatch(text)
        if matched:
            found[int(matched[1])] = "sha256:" + matched[2].removeprefix("sha256:")
        else:
            problems.append(Problem(Place(f"--expect {printable(text)}"), "GR804", "is not NUMBER:HASH", "write e.g. 17:sha256:… as --record told it"))
    if problems:
        raise GpurulesError(problems)
    return found
