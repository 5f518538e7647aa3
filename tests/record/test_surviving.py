"""Writers at once, a kill at any point and a full disk lose no entry that was acknowledged, and leave a sound record."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from written import asked, decided, files

from gpurules.engine import GpurulesError
from gpurules.engine.records import record

WRITER = Path(__file__).parent / "written.py"
KILLS = 8


def start(where: str, writer: str, count: int) -> subprocess.Popen[str]:
    return subprocess.Popen([sys.executable, str(WRITER), where, writer, str(count)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def acknowledged(output: str) -> list[tuple[int, str, str, int]]:
    """What a writer said it had added: number, hash, its name, its own count. A line cut by a kill was not said."""
    lines = [line.split() for line in output.splitlines(keepends=True) if line.endswith("\n")]
    return [(int(n), h, w, int(c)) for n, h, w, c in lines]


def hold(where: str, told: list[tuple[int, str, str, int]]) -> int:
    """Everything that was acknowledged is there, and the record is sound. The number of its entries."""
    store = record.opened(where)
    found = record.verify(store, {number: hash_ for number, hash_, _, _ in told})
    assert found.bad is None, found
    for number, hash_, writer, count in told:
        entry = record.entry(store, str(number))
        assert (entry.hash, entry.asked.facts) == (hash_, asked(count, writer).facts)
        assert entry.decision == decided(count, count % 2, writer)
    store.close()
    return found.sound


def test_writers_at_once(where: str) -> None:
    """The store does not exist when they start: they also make it at once."""
    writers = [start(where, f"writer{n}", 15) for n in range(4)]
    outputs = [w.communicate(timeout=300) for w in writers]
    assert [w.returncode for w in writers] == [0] * 4, outputs
    told = [entry for out, _ in outputs for entry in acknowledged(out)]
    assert sorted(n for n, _, _, _ in told) == list(range(1, 61))
    assert hold(where, told) == 60


def test_a_kill_at_any_point(where: str) -> None:
    """Two writers at a time, one of which is killed at a random moment; a reader goes through the record meanwhile."""
    random_ = random.Random(7)
    told: list[tuple[int, str, str, int]] = []
    record.opened(where, write=True).close()
    for turn in range(KILLS):
        doomed, other = start(where, f"doomed{turn}", 10_000), start(where, f"other{turn}", 5)
        assert doomed.stdout is not None
        first = doomed.stdout.readline()  # it is at work
        time.sleep(random_.random() * 0.3)
        doomed.send_signal(signal.SIGKILL)
        store = record.opened(where)
        assert record.verify(store).fault == ""
        store.close()
        rest, faults = doomed.communicate(timeout=60)
        assert doomed.returncode == -signal.SIGKILL, faults
        out, faults = other.communicate(timeout=120)
        assert other.returncode == 0, faults
        told += acknowledged(first + rest) + acknowledged(out)
    assert hold(where, told) in range(len(told), len(told) + KILLS + 1), "at most what was kept and not yet said when the kill came"


def test_a_full_disk(tmp_path: Path) -> None:
    """Files of the process may not grow beyond a limit, as on a disk that is full: a problem, and what was there stays."""
    where = str(tmp_path / "record.sqlite")
    limit = 120_000
    program = (
        "import resource, sys, os, random\n"
        f"sys.path.insert(0, {str(WRITER.parent)!r})\n"
        "import written\n"
        "from gpurules.engine.records import record\n"
        f"resource.setrlimit(resource.RLIMIT_FSIZE, ({limit}, {limit}))\n"
        f"store = record.opened({where!r}, write=True)\n"
        "faults = 0\n"
        "for number in range(400):\n"
        "    asked = written.asked(number, 'x')\n"
        "    asked = record.Asked(random.Random(number).randbytes(3000), asked.file)\n"
        "    try:\n"
        "        print(*record.add(store, asked, written.decided(number), lambda: written.files(0)), number, flush=True)\n"
        "    except record.GpurulesError as error:\n"
        "        faults += 1\n"
        "        print(error, file=sys.stderr)\n"
        "        if faults == 3: sys.exit(2)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)
    assert done.returncode == 2 and "GR801" in done.stderr and "Traceback" not in done.stderr, done.stderr
    told = [line.split() for line in done.stdout.splitlines()]
    assert len(told) > 10
    store = record.opened(where)
    found = record.verify(store, {int(n): h for n, h, _ in told})
    store.close()
    assert (found.sound, found.bad) == (len(told), None)
    store = record.opened(where, write=True)  # and once there is room, it goes on
    number, _ = record.add(store, asked(0), decided(0), lambda: files(0))
    store.close()
    assert number == len(told) + 1


@pytest.mark.skipif(not Path("/dev/full").exists() or os.name == "nt" or os.getuid() != 0, reason="mounting a small disk takes root")
def test_a_disk_of_a_megabyte(tmp_path: Path) -> None:
    """The same on a real file system that has no room left, where one can be mounted."""
    disk = tmp_path / "disk"
    disk.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=400k", "tmpfs", str(disk)], capture_output=True).returncode:
        pytest.skip("nothing can be mounted here")
    try:
        where = str(disk / "record.sqlite")
        store = record.opened(where, write=True)
        told: dict[int, str] = {}
        with pytest.raises(GpurulesError) as caught:
            for number in range(1000):
                content = random.Random(number).randbytes(5000)
                told.update([record.add(store, record.Asked(content, "facts.yaml"), decided(number), lambda: files(0))])
        assert {p.code for p in caught.value.problems} == {"GR801"} and "full" in str(caught.value)
        store.close()
        store = record.opened(where)
        found = record.verify(store, told)
        store.close()
        assert (found.sound, found.bad) == (len(told), None) and len(told) > 10
    finally:
        subprocess.run(["umount", str(disk)], check=True)


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the system does not tell the peak of a process")
def test_verifying_streams(tmp_path: Path) -> None:
    """Forty megabytes of facts are verified in much less memory."""
    where = str(tmp_path / "record.sqlite")
    store = record.opened(where, write=True)
    for number in range(40):
        record.add(store, record.Asked(random.Random(number).randbytes(1_000_000), "facts.yaml"), decided(number), lambda: files(0))
    store.close()
    program = (
        "import re\n"
        "from gpurules.engine.records import record\n"
        "peak = lambda: int(re.search(r'VmHWM:\\s*(\\d+)', open('/proc/self/status').read())[1])\n"
        f"store = record.opened({where!r})\n"
        "before = peak()\n"
        "assert record.verify(store).sound == 40\n"
        "print(peak() - before)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=120)
    assert int(done.stdout) < 20_000, "kilobytes"
