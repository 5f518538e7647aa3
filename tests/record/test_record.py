"""What is recorded stays, and comes back as it was; whatever is changed, removed or moved is found."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest
from written import asked, decided, files

from gpurules.engine import GpurulesError
from gpurules.engine.knowledge import bundle
from gpurules.engine.records import record
from gpurules.engine.records.store import Store
from gpurules.engine.values import canonical


def codes(error: pytest.ExceptionInfo[GpurulesError]) -> set[str]:
    return {p.code for p in error.value.problems}


def execute(where: str, *statements: str) -> None:
    """Somebody who has the store's own tools in hand, and lifts what stands in the way."""
    if where.startswith("postgresql://"):
        import psycopg

        with psycopg.connect(where, autocommit=True) as server:
            for table in ("gpurules_entries", "gpurules_rulebooks"):
                server.execute(f"ALTER TABLE {table} DISABLE TRIGGER ALL".encode())
            for statement in statements:
                server.execute(statement.replace("x''", "''::bytea").encode())
        return
    connection = sqlite3.connect(where)
    for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
        connection.execute(f"DROP TRIGGER {name}")
    for statement in statements:
        connection.execute(statement)
    connection.commit()
    connection.close()


def fill(where: str) -> str:
    """Twelve entries, as in `filled`."""
    store = record.opened(where, write=True)
    for number in range(12):
        record.add(store, asked(number), decided(number, number % 2), lambda book=number % 2: files(book))  # type: ignore[misc]
    store.close()
    return where


def heads(where: str) -> list[tuple[int, str, str]]:
    store = record.opened(where)
    try:
        return store.heads(20)
    finally:
        store.close()


def verified(where: str, **expected: str) -> record.Verdict:
    store = record.opened(where)
    try:
        return record.verify(store, {int(n[1:]): h for n, h in expected.items()})
    finally:
        store.close()


def test_entries_come_back_as_they_were_given(filled: str) -> None:
    store = record.opened(filled)
    for number, entry in enumerate(record.entries(store)):
        assert entry.number == number + 1
        assert entry.asked == asked(number)
        assert entry.decision == decided(number, number % 2)
        assert record.entry(store, str(number + 1)) == entry == record.entry(store, entry.hash[:20]) == record.deciding(store, entry.decision)
        assert record.rulebook(store, entry.head["rulebook"]["digest"]) == files(number % 2)
    assert number == 11
    heads = store.heads(5)
    assert [n for n, _, _ in heads] == [12, 11, 10, 9, 8]
    assert [n for n, _, _ in store.heads(5, 3)] == [2, 1]
    store.close()
    assert verified(filled) == record.Verdict(12, heads[0][1])


def test_a_rulebook_is_kept_once(filled: str) -> None:
    store = record.opened(filled, write=True)

    def never() -> dict[str, bytes]:
        raise AssertionError("the store has it")

    record.add(store, asked(12), decided(12), never)
    store.close()
    assert verified(filled).sound == 13


@pytest.mark.parametrize("name", ["13", "0", "sha256:000000", "abcdef0123", "7x", "", "abc", "99999999999999999999"])
def test_what_names_no_entry(filled: str, name: str) -> None:
    store = record.opened(filled)
    with pytest.raises(GpurulesError) as caught:
        record.entry(store, name)
    store.close()
    assert codes(caught) == {"GR804"}


@pytest.mark.parametrize("statement", ["UPDATE gpurules_entries SET facts = facts", "DELETE FROM gpurules_entries", "DELETE FROM gpurules_rulebooks"])
def test_the_store_itself_refuses_changes(filled: str, statement: str) -> None:
    store = record.opened(filled, write=True)
    with pytest.raises(GpurulesError) as caught, store.writing():
        store.run(statement)
    store.close()
    assert codes(caught) == {"GR801"} and "never changed" in str(caught.value)
    assert verified(filled).sound == 12


COPY = "INSERT INTO gpurules_entries SELECT {}, 'x', decided, head, facts, waivers, decision FROM gpurules_entries WHERE number = 2"
TAMPERED: dict[str, tuple[list[str], int, str]] = {
    "facts changed": (["UPDATE gpurules_entries SET facts = x'' WHERE number = 5"], 5, "facts"),
    "decision changed": (["UPDATE gpurules_entries SET decision = (SELECT decision FROM gpurules_entries WHERE number = 1) WHERE number = 7"], 7, "decision"),
    "decision of no form": (["UPDATE gpurules_entries SET decision = x'' WHERE number = 7"], 7, "cannot be read"),
    "waivers added": (["UPDATE gpurules_entries SET waivers = x'' WHERE number = 4"], 4, "waivers"),
    "head changed": (["UPDATE gpurules_entries SET head = replace(head, 'somebody', 'nobody') WHERE number = 3"], 3, "head"),
    "hash changed": (["UPDATE gpurules_entries SET hash = 'sha256:0' WHERE number = 3"], 3, "head"),
    "look-up changed": (["UPDATE gpurules_entries SET decided = '' WHERE number = 12"], 12, "digest of the decision"),
    "first removed": (["DELETE FROM gpurules_entries WHERE number = 1"], 1, "missing"),
    "middle removed": (["DELETE FROM gpurules_entries WHERE number = 6"], 6, "missing"),
    "last removed": (["DELETE FROM gpurules_entries WHERE number = 12"], 12, "missing"),
    "all removed": (["DELETE FROM gpurules_entries"], 1, "missing"),
    "removed, and closed up": (
        ["DELETE FROM gpurules_entries WHERE number = 6", *(f"UPDATE gpurules_entries SET number = {n - 1} WHERE number = {n}" for n in range(7, 13))],
        6,
        "recorded as entry 7",
    ),
    "two exchanged": ([f"UPDATE gpurules_entries SET number = {a} WHERE number = {b}" for a, b in ((99, 4), (4, 9), (9, 99))], 4, "recorded as entry 9"),
    "one put before all": (
        [COPY.format(0)],
        1,
        "entry 0",
    ),
    "one added": ([COPY.format(13)], 13, "head"),
    "rulebook changed": (
        ["UPDATE gpurules_rulebooks SET content = (SELECT content FROM gpurules_rulebooks WHERE digest LIKE '%0') WHERE digest LIKE '%1'"],
        2,
        "was changed",
    ),
    "rulebook removed": (["DELETE FROM gpurules_rulebooks WHERE digest LIKE '%1'"], 2, "is missing"),
    "note of the last removed": (["DELETE FROM gpurules_last"], 12, "note of the last"),
    "note of the last turned back": (["UPDATE gpurules_last SET number = 11", "DELETE FROM gpurules_entries WHERE number = 12"], 11, "not the last"),
}


@pytest.mark.parametrize("name", TAMPERED)
def test_the_first_bad_entry_is_named(filled: str, name: str) -> None:
    statements, bad, said = TAMPERED[name]
    execute(filled, *statements)
    found = verified(filled)
    assert found.bad == bad and said in found.fault, found


BROKEN: dict[str, dict[str, object]] = {
    "no rulebook": {"rulebook": None}, "a rulebook of no form": {"rulebook": "x"}, "settings of no form": {"settings": [1]}, "nobody": {"by": None},
    "no date": {"date": 5}, "another form": {"format": "gpurules.entry/9"}, "a number of no form": {"number": "12"}, "waivers of no form": {"waivers": []},
}  # fmt: skip


@pytest.mark.parametrize("name", BROKEN)
def test_a_head_that_was_written_anew_is_named_and_not_read(filled: str, name: str) -> None:
    """Somebody who also makes hashes and the note of the last entry fit: what is no head is told, by verify and by whatever reads."""
    store = record.opened(filled)
    head = canonical.dumps({**record.entry(store, "12").head, **BROKEN[name]})
    store.close()
    hash_ = bundle.digest(head.encode())
    execute(filled, f"UPDATE gpurules_entries SET head = '{head}', hash = '{hash_}' WHERE number = 12", f"UPDATE gpurules_last SET hash = '{hash_}'")
    assert verified(filled).bad == 12
    store = record.opened(filled)
    for read in (lambda: record.entry(store, "12"), lambda: list(record.entries(store))):
        with pytest.raises(GpurulesError) as caught:
            read()
        assert codes(caught) == {"GR805"}
    store.close()


@pytest.mark.parametrize("column", ["head", "hash", "decided"])
def test_bytes_that_are_no_text_are_a_changed_entry(tmp_path: Path, column: str) -> None:
    where = fill(str(tmp_path / "record.sqlite"))
    execute(where, f"UPDATE gpurules_entries SET {column} = CAST(x'7bff' AS TEXT) WHERE number = 3")
    assert verified(where).bad == 3


def test_whatever_is_overwritten_is_told(tmp_path: Path) -> None:
    """Bytes of the file changed at random, some of it zeroed, or its end cut off: a problem with a code or a bad entry, never another fault."""
    sound = Path(fill(str(tmp_path / "record.sqlite"))).read_bytes()
    receipts = {number: hash_ for number, hash_, _ in heads(str(tmp_path / "record.sqlite"))}
    random_ = random.Random(5)
    outcomes = set()
    for turn in range(150):
        content = bytearray(sound)
        at = random_.randrange(len(content))
        if turn % 3 == 0:
            del content[at:]
        elif turn % 3 == 1:
            content[at : at + 3000] = bytes(len(content[at : at + 3000]))
        else:
            for place in random_.sample(range(len(content)), 6):
                content[place] = random_.randrange(256)
        (tmp_path / "other.sqlite").write_bytes(content)
        try:
            store = record.opened(str(tmp_path / "other.sqlite"))
            try:
                found = record.verify(store, receipts)
                outcomes.add("bad" if found.fault else "sound")
                if not found.fault:  # only what no entry stands on was hit
                    assert found.sound == 12 and [e.hash for e in record.entries(store)] == list(receipts.values())[::-1]
                store.heads(20)
            finally:
                store.close()
        except GpurulesError as error:
            outcomes |= {p.code for p in error.problems}
    assert outcomes >= {"bad", "sound", "GR803"} and outcomes <= {"bad", "sound", "GR803", "GR805"}


@pytest.mark.parametrize(
    "statement", ["DELETE FROM gpurules_last", "UPDATE gpurules_last SET hash = 'x'", "INSERT INTO gpurules_last SELECT * FROM gpurules_last"]
)
def test_nothing_is_added_where_the_last_entry_is_not_known(filled: str, statement: str) -> None:
    execute(filled, statement)
    with pytest.raises(GpurulesError) as caught:
        store = record.opened(filled, write=True)
        record.add(store, asked(12), decided(12), lambda: files(0))
    assert codes(caught) == {"GR803"}


def test_two_faults_and_the_first_is_named(filled: str) -> None:
    execute(filled, "UPDATE gpurules_entries SET facts = x'' WHERE number = 9", "UPDATE gpurules_entries SET facts = x'' WHERE number = 5")
    assert verified(filled).bad == 5


def test_a_record_cut_with_its_note_is_found_by_a_hash_kept_elsewhere(filled: str) -> None:
    store = record.opened(filled)
    receipts = {number: hash_ for number, hash_, _ in store.heads(12)}
    store.close()
    execute(filled, "DELETE FROM gpurules_entries WHERE number > 9", f"UPDATE gpurules_last SET number = 9, hash = '{receipts[9]}'")
    assert verified(filled).bad is None, "what is left is sound in itself"
    assert verified(filled, n9=receipts[9]).bad is None
    assert verified(filled, n11=receipts[11]).bad == 11
    assert verified(filled, n4=receipts[5]).bad == 4


def test_a_changed_entry_is_not_shown_as_if_it_were_sound(filled: str) -> None:
    execute(filled, "UPDATE gpurules_entries SET facts = x'' WHERE number = 5", "UPDATE gpurules_rulebooks SET content = x''")
    store = record.opened(filled)
    for read in (lambda: record.entry(store, "5"), lambda: list(record.entries(store)), lambda: record.rulebook(store, f"sha256:{0:064d}")):
        with pytest.raises(GpurulesError) as caught:
            read()
        assert codes(caught) == {"GR805"}
    store.close()


def broken_no_file(folder: Path) -> str:
    return str(folder / "none.sqlite")


def broken_text(folder: Path) -> str:
    (folder / "text").write_text("this is no database at all, only text that goes on for a while\n" * 20, "utf-8")
    return str(folder / "text")


def broken_foreign(folder: Path) -> str:
    connection = sqlite3.connect(folder / "foreign")
    connection.execute("CREATE TABLE other (x)")
    connection.close()
    return str(folder / "foreign")


def broken_newer(folder: Path) -> str:
    record.opened(str(folder / "newer"), write=True).close()
    execute(str(folder / "newer"), "UPDATE gpurules_last SET format = 'gpurules.record/9'")
    return str(folder / "newer")


def broken_folder(folder: Path) -> str:
    return str(folder)


def broken_scheme(folder: Path) -> str:
    return "mysql://somewhere/else"


def broken_host(folder: Path) -> str:
    pytest.importorskip("psycopg")
    return f"postgresql://me:secret@/db?host={folder}/nothing"


@pytest.mark.parametrize(
    ("make", "code"),
    [
        (broken_no_file, "GR801"),
        (broken_text, "GR803"),
        (broken_foreign, "GR803"),
        (broken_newer, "GR803"),
        (broken_folder, "GR801"),
        (broken_scheme, "GR801"),
        (broken_host, "GR801"),
    ],
)
def test_what_is_no_store_is_a_problem_with_a_code(make: Callable[[Path], str], code: str, tmp_path: Path) -> None:
    where = make(tmp_path)
    for write in (False, True) if make is not broken_no_file else (False,):
        with pytest.raises(GpurulesError) as caught:
            record.opened(where, write)
        assert codes(caught) == {code}
        assert "secret" not in str(caught.value)


def test_a_store_of_its_own_is_not_for_others_to_read(tmp_path: Path) -> None:
    record.opened(str(tmp_path / "a" / "record"), write=True).close()
    assert (tmp_path / "a" / "record").stat().st_mode & 0o077 == 0


def test_an_empty_record_is_sound(where: str) -> None:
    record.opened(where, write=True).close()
    assert verified(where).sound == 0 and verified(where).bad is None


def test_verifying_keeps_no_entries(filled: str) -> None:
    """It goes on from batch to batch; nothing of what it has read is kept."""
    store: Store = record.opened(filled)
    seen: list[int] = []
    record.verify(store, told=seen.append)
    store.close()
    assert seen == list(range(1, 13))
