"""Peak memory of Java and Python for two hard inputs: two million lines of one partition, and ten thousand files.

    python -m benchmarks.memory [--lines 2000000] [--files 10000] [--only lines|files] [--folder FOLDER]

The command analyzes each input in a separate process; the peaks are those that Linux records for a process
(`VmHWM`).
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

_START = datetime(2026, 11, 21, 5)
_REFUSED = "ERROR [ReplicaManager broker=1] Error processing append operation on partition orders-0 (kafka.server.ReplicaManager)"
_LINES_OF_A_FILE = 20
_LOOK_SECONDS = 0.5


@dataclass
class Peaks:
    """The peak memory of the processes of a run, the peak size of the work folder, and how the run ended."""

    java: int = 0
    python: int = 0
    work: int = 0
    seconds: float = 0.0
    code: int | None = None
    said: str = ""


def one_partition(folder: Path, lines: int) -> Path:
    """`lines` lines of a leader that for days removes its follower from the ISR of one partition and adds it again,
    and rejects writes meanwhile.
    """
    (folder / "node-1").mkdir(parents=True)
    with (folder / "node-1" / "server.log").open("w") as out:
        out.writelines(_flapping(lines))
    return folder


def _flapping(lines: int) -> Iterator[str]:
    """Forty lines a minute: one shrink, one expansion, the ISR update after each, and rejected writes in between."""
    at, partition_epoch, offset = _START, 0, 0
    for number in range(lines):
        step = number % 40
        at += timedelta(milliseconds=1_500)
        if step in (1, 39):
            partition_epoch += 1
        offset += 0 if 0 < step < 39 else 100
        said = {
            0: f"INFO [Partition orders-0 broker=1] Shrinking ISR from 1,2 to 1. Leader: (highWatermark: {offset}, "
            f"endOffset: {offset + 9}). Out of sync replicas: (brokerId: 2, endOffset: {offset}). (kafka.cluster.Partition)",
            1: f"INFO [Partition orders-0 broker=1] ISR updated to 1 and version updated to [{partition_epoch}] "
            "(kafka.cluster.Partition)",
            38: "INFO [Partition orders-0 broker=1] Expanding ISR from 1 to 1,2 (kafka.cluster.Partition)",
            39: f"INFO [Partition orders-0 broker=1] ISR updated to 1,2 and version updated to [{partition_epoch}] "
            "(kafka.cluster.Partition)",
        }.get(step, _REFUSED)
        yield f"[{at:%Y-%m-%d %H:%M:%S},{at.microsecond // 1000:03d}] {said}\n"


def many_files(folder: Path, files: int) -> Path:
    """The rotated logs of three nodes: `files` files of twenty lines."""
    for number in range(files):
        node, turn = number % 3 + 1, number // 3
        file = folder / f"node-{node}" / f"server.log.{turn:05d}"
        file.parent.mkdir(parents=True, exist_ok=True)
        at = _START + timedelta(seconds=_LINES_OF_A_FILE * turn)
        with file.open("w") as out:
            for second in range(_LINES_OF_A_FILE):
                stamp = at + timedelta(seconds=second)
                out.write(
                    f"[{stamp:%Y-%m-%d %H:%M:%S},000] INFO [GroupCoordinator {node}]: Preparing to rebalance group app-{turn % 50} "
                    f"in state PreparingRebalance with old generation {turn} (__consumer_offsets-{turn % 50}) (reason: Adding new "
                    "member) (kafka.coordinator.group.GroupCoordinator)\n"
                )
    return folder


def measured(given: Path, folder: Path) -> Peaks:
    """The peaks of `kafka-replay analyze` over `given`; the result and the work folder are under `folder`."""
    work = folder / "work"
    work.mkdir(parents=True)
    command = [sys.executable, "-m", "pipelines", "analyze", str(given), "--out", str(folder / "result"), "--overwrite"]
    peaks, began = Peaks(), time.monotonic()
    with (folder / "said.txt").open("w+b") as said:
        process = subprocess.Popen(command, stdout=said, stderr=said, env=os.environ | {"TMPDIR": str(work)})
        turn = 0
        while process.poll() is None:
            for pid, name in of_processes(process.pid):
                peak = peak_of(pid)
                if name == "java":
                    peaks.java = max(peaks.java, peak)
                elif pid == process.pid:
                    peaks.python = max(peaks.python, peak)
            if turn % 20 == 0:
                peaks.work = max(peaks.work, _size(work))
            turn += 1
            time.sleep(_LOOK_SECONDS)
        peaks.seconds, peaks.code = time.monotonic() - began, process.returncode
        said.seek(0)
        peaks.said = said.read().decode(errors="replace")
    return peaks


def of_processes(root: int) -> Iterator[tuple[int, str]]:
    """`root` and its descendants, with the names of their programs."""
    parents: dict[int, tuple[int, str]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError, ValueError):
            head, _, rest = stat.read_text().rpartition(")")
            parents[int(stat.parent.name)] = (int(rest.split()[1]), head.partition("(")[2])
    for pid, (_, name) in parents.items():
        above = pid
        while above in parents and above != root:
            above = parents[above][0]
        if above == root:
            yield pid, name


def peak_of(pid: int) -> int:
    with suppress(OSError, ValueError, IndexError):
        for line in Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) << 10
    return 0


def _size(folder: Path) -> int:
    size = 0
    for place, _, names in os.walk(folder):
        for name in names:
            with suppress(OSError):
                size += os.lstat(os.path.join(place, name)).st_size
    return size


def summary(what: str, peaks: Peaks) -> str:
    """A line with the figures of one run."""
    gigabytes = {
        name: size / 1e9 for name, size in (("Java", peaks.java), ("Python", peaks.python), ("disk", peaks.work))
    }
    return (
        f"{what}: Java {gigabytes['Java']:.2f} GB, Python {gigabytes['Python']:.2f} GB, work folder {gigabytes['disk']:.2f} GB; "
        f"{peaks.seconds:.0f} s, exit status {peaks.code}"
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print. Returns the exit status: 1 if an analysis failed."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.memory", description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--lines", type=int, default=2_000_000, help="of one partition (default: %(default)s)")
    parser.add_argument("--files", type=int, default=10_000, help="how many (default: %(default)s)")
    parser.add_argument("--only", choices=("lines", "files"), help="one of the two")
    parser.add_argument("--folder", type=Path, help="where to work (default: the temporary folder)")
    options = parser.parse_args(arguments)
    wanted = {
        "lines": (f"{options.lines:,} lines of one partition", lambda to: one_partition(to, options.lines)),
        "files": (f"{options.files:,} files", lambda to: many_files(to, options.files)),
    }
    failed = False
    for name, (what, make) in wanted.items():
        if options.only in (None, name):
            with tempfile.TemporaryDirectory(prefix="kafka-replay-memory-", dir=options.folder) as folder:
                peaks = measured(make(Path(folder, "given")), Path(folder))
            print(summary(what, peaks), flush=True)
            if peaks.code != 0:
                print(peaks.said[-2_000:], flush=True)
                failed = True
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
