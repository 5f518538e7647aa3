"""Stores with decisions that look like decisions and need no rulebook, and a PostgreSQL server where one is installed."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from gpurules.engine.records import record


def _initdb() -> str | None:
    found = [*sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), reverse=True), shutil.which("initdb")]
    return str(next((f for f in found if f), "")) or None


@pytest.fixture(scope="session")
def server() -> Iterator[str]:
    """The URL of a fresh PostgreSQL server without a port: Debian's `postgresql` is enough, with `pip install gpurules[postgres]`."""
    pytest.importorskip("psycopg", reason="psycopg is not installed: pip install 'gpurules[postgres]'")
    initdb = _initdb()
    if initdb is None or sys.platform == "win32":
        pytest.skip("PostgreSQL is not installed: apt-get install postgresql, or the like")
    folder = Path(tempfile.mkdtemp(prefix="gpurules-pg-"))  # short, for sockets, and not below a folder that only root may enter
    user = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"] if os.getuid() == 0 else []  # the server refuses to run as root
    if user:
        try:
            shutil.chown(folder, "postgres")
        except LookupError:
            pytest.skip("PostgreSQL does not run as root, and there is no user postgres")
    tools = Path(initdb).parent
    run = lambda *words: subprocess.run([*user, *words], check=True, capture_output=True, cwd="/", timeout=120)  # noqa: E731
    data, sockets = folder / "data", folder / "s"
    try:
        run(initdb, "-D", str(data), "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C")
        run("mkdir", str(sockets))
    except (subprocess.CalledProcessError, OSError) as error:
        pytest.skip(f"PostgreSQL cannot be set up here: {getattr(error, 'stderr', error)!r:.300}")
    command = [*user, str(tools / "postgres"), "-D", str(data), "-k", str(sockets), "-c", "listen_addresses=", "-F"]
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log, cwd="/")
    try:
        url = f"postgresql://postgres@/postgres?host={sockets}"
        _wait(url)
        yield url
    finally:
        process.send_signal(signal.SIGQUIT)  # at once: nothing of it is kept
        process.wait(60)
        shutil.rmtree(folder, ignore_errors=True)


def _wait(url: str) -> None:
    import psycopg

    for _ in range(300):
        try:
            psycopg.connect(url, connect_timeout=5).close()
            return
        except psycopg.OperationalError:
            time.sleep(0.1)
    pytest.fail("PostgreSQL did not start")


@pytest.fixture(params=["sqlite", "postgresql"])
def where(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A store that does not exist yet, once in each kind."""
    if request.param == "sqlite":
        return str(tmp_path / "deep" / "record.sqlite")
    return database(request.getfixturevalue("server"))


def database(server: str) -> str:
    """The URL of a new database."""
    import psycopg

    with psycopg.connect(server, autocommit=True) as connection:
        (count,) = connection.execute("SELECT count(*) FROM pg_database").fetchone() or (0,)
        name = f"test_{os.getpid()}_{count}"
        connection.execute(f"CREATE DATABASE {name}".encode())
    return server.replace("/postgres?", f"/{name}?")


@pytest.fixture
def filled(where: str) -> str:
    """A store with twelve entries of two rulebooks."""
    from written import asked, decided, files

    store = record.opened(where, write=True)
    for number in range(12):
        record.add(store, asked(number), decided(number, number % 2), lambda book=number % 2: files(book))  # type: ignore[misc]
    store.close()
    return where
