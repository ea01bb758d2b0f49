"""Peak memory and CPU seconds of the driver, of Java and of Spark's Python workers for hard inputs.

    python -m benchmarks.memory [--only NAME] [--lines 2000000] [--files 10000] [--folder FOLDER]

The inputs are two million lines of one partition, ten thousand files, a day of sixty incidents (245 MB), 1 GB of ordinary
lines after one incident, and four such days (1 GB). The command analyzes each input in a separate process. The peaks are
those that Linux records for a process (`VmHWM`). CPU seconds do not depend on what else the machine does.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from random import Random

from benchmarks.goals import TRACE, day

_START = datetime(2026, 11, 21, 5)
_REFUSED = "ERROR [ReplicaManager broker=1] Error processing append operation on partition orders-0 (kafka.server.ReplicaManager)"
_LINES_OF_A_FILE = 20
_LOOK_SECONDS = 0.5


DRIVER, JAVA, WORKERS = "driver", "Java", "workers"  # the driver is the Python process of the command
_TICKS = os.sysconf("SC_CLK_TCK")


@dataclass
class Peaks:
    """The peak memory of the processes of a run (the largest of each sort), their CPU seconds, the peak size of the work
    folder, and how the run ended.
    """

    memory: dict[str, int] = field(default_factory=lambda: dict.fromkeys((DRIVER, JAVA, WORKERS), 0))
    spent: dict[int, tuple[str, float]] = field(default_factory=dict)  # sort and CPU seconds of each process
    work: int = 0
    seconds: float = 0.0
    code: int | None = None
    said: str = ""

    def look(self, root: int) -> None:
        """Notes the memory and the CPU seconds of `root` and its descendants."""
        for pid, name in of_processes(root):
            # For a moment, a program that Java starts shares Java's memory, under the name of one of its threads.
            sort = DRIVER if pid == root else WORKERS if name.startswith("python") else JAVA
            self.memory[sort] = max(self.memory[sort], peak_of(pid))
            self.spent[pid] = sort, max(cpu_of(pid), self.spent.get(pid, (sort, 0.0))[1])

    def cpu(self) -> dict[str, float]:
        """The CPU seconds of each sort of process."""
        return {name: sum(spent for sort, spent in self.spent.values() if sort == name) for name in self.memory}


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


_ORDINARY = (
    "INFO [ProducerStateManager partition={partition}] Writing producer snapshot at offset {offset} (kafka.log.ProducerStateManager)",
    "INFO [Log partition={partition}, dir=/var/kafka/data0] Rolled new log segment at offset {offset} in {number} ms. (kafka.log.Log)",
    "INFO [GroupCoordinator {broker}]: Preparing to rebalance group app-{number} in state PreparingRebalance with old generation {number} "
    "(__consumer_offsets-{few}) (reason: Adding new member client-{number} with group instance id None) (kafka.coordinator.group.GroupCoordinator)",
    "INFO [GroupCoordinator {broker}]: Stabilized group app-{number} generation {number} (__consumer_offsets-{few}) (kafka.coordinator.group.GroupCoordinator)",
    "INFO [GroupMetadataManager brokerId={broker}] Removed 0 expired offsets in {number} milliseconds. (kafka.coordinator.group.GroupMetadataManager)",
    "INFO [Log partition={partition}, dir=/var/kafka/data0] Found deletable segments with base offsets [{offset}] due to retention time 604800000ms breach (kafka.log.Log)",
    "INFO [SocketServer brokerId={broker}] Failed authentication with /10.77.1.{few} (SSL handshake failed) (org.apache.kafka.common.network.Selector)",
    "INFO [Admin client] Metadata update for app-{number} took {number} ms (com.example.platform.Auditor)",
)


def ordinary(folder: Path, megabytes: int, partitions: int = 2_000) -> Path:
    """The demo's incident, then ordinary lines of its three brokers about many partitions and groups."""
    shutil.copytree(TRACE, folder)
    random = Random(1)
    for broker in (1, 2, 3):
        at, size = datetime(2026, 11, 21, 5, 45), 0
        with (folder / f"node-{broker}" / "server.log").open("a") as out:
            while size < megabytes * 1_000_000 // 3:
                at += timedelta(milliseconds=random.randint(20, 180))
                number = random.randrange(partitions)
                said = random.choice(_ORDINARY).format(
                    broker=broker, partition=f"events{number // 12}-{number % 12}", few=number % 50,
                    offset=random.randint(10_000, 1_000_000_000), number=random.randint(1, 500),
                )  # fmt: skip
                size += out.write(f"[{at:%Y-%m-%d %H:%M:%S},{at.microsecond // 1000:03d}] {said}\n")
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
            peaks.look(process.pid)
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


def cpu_of(pid: int) -> float:
    """The CPU seconds of a process, without those of its children."""
    with suppress(OSError, ValueError, IndexError):
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / _TICKS
    return 0.0


def _size(folder: Path) -> int:
    size = 0
    for place, _, names in os.walk(folder):
        for name in names:
            with suppress(OSError):
                size += os.lstat(os.path.join(place, name)).st_size
    return size


def summary(what: str, peaks: Peaks) -> str:
    """A line with the figures of one run."""
    memory = ", ".join(f"{name} {size / 1e9:.2f} GB" for name, size in peaks.memory.items())
    cpu = peaks.cpu()
    outside = 100 * (1 - cpu[DRIVER] / (sum(cpu.values()) or 1))
    return (
        f"{what}: {memory}, work folder {peaks.work / 1e9:.2f} GB; CPU seconds {', '.join(f'{name} {spent:.0f}' for name, spent in cpu.items())} "
        f"({outside:.0f} % outside the driver); {peaks.seconds:.0f} s, exit status {peaks.code}"
    )


def inputs(lines: int, files: int) -> dict[str, tuple[str, Callable[[Path], Path]]]:
    """The inputs by name: what each is, and the function that writes it into a folder."""
    return {
        "lines": (f"{lines:,} lines of one partition", lambda to: one_partition(to, lines)),
        "files": (f"{files:,} files", lambda to: many_files(to, files)),
        "day": ("a day of sixty incidents", day),
        "quiet": ("1 GB of ordinary lines", lambda to: ordinary(to, 1_000)),
        "days": ("four days of sixty incidents", lambda to: day(to, range(240))),
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print. Returns the exit status: 1 if an analysis failed."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.memory", description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--lines", type=int, default=2_000_000, help="of one partition (default: %(default)s)")
    parser.add_argument("--files", type=int, default=10_000, help="how many (default: %(default)s)")
    parser.add_argument("--only", choices=inputs(0, 0), help="one of the inputs")
    parser.add_argument("--folder", type=Path, help="where to work (default: the temporary folder)")
    options = parser.parse_args(arguments)
    failed = False
    for name, (what, make) in inputs(options.lines, options.files).items():
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
