"""One archive that installs Kafka Replay on a host without network: `python -m pipelines.bundle dist` builds it.

It holds the wheels of this project and of everything that it needs to run, in the releases of `requirements.lock`, Java among them, the
jar of GraphFrames, and `install.sh`, which needs Python and nothing else. Wheels are made for a platform and a release of
Python: those of the Python that builds the archive. Its name says which.
"""

from __future__ import annotations

import hashlib
import platform
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterable, Iterator
from importlib import metadata
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from pipelines.about import product_version
from pipelines.databricks_wheel import ROOT, usual_wheel
from pipelines.session import GRAPHFRAMES_PACKAGE, check_jar, graphframes_jar
from replay.errors import SetupError

PROJECT = "kafka-incident-replay"
EXTRAS = ("java", "rescue", "mcp")
LOCK = ROOT / "requirements.lock"

_INSTALL = """\
#!/bin/sh
# Installs Kafka Replay {version} from this folder: sh install.sh [FOLDER], by default ./kafka-replay.
# It needs Python {python} on {system} {machine}. It needs no network, no package index and no Java.
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
target=${{1:-kafka-replay}}
fits='import platform, sys; sys.exit((sys.version_info[:2], platform.system(), platform.machine()) != (({major}, {minor}), "{system}", "{machine}"))'
found=
for candidate in ${{PYTHON:+"$PYTHON"}} python{python} python3 python; do
  if "$candidate" -c "$fits" 2>/dev/null; then found=$candidate; break; fi
done
if [ -z "$found" ]; then
  echo "install.sh: no Python {python} for {system} {machine} on the PATH; install one, or name it: PYTHON=/path/to/python{python} sh install.sh" >&2
  exit 2
fi
if [ -e "$target" ]; then
  echo "install.sh: $target exists; give another folder: sh install.sh FOLDER" >&2
  exit 2
fi
trap 'rm -rf -- "$target"' EXIT INT TERM
"$found" -m venv --without-pip -- "$target"
"$target/bin/python" -I "$here/wheels/{pip}/pip" install --quiet --disable-pip-version-check --no-index --no-deps \\
  --require-hashes --find-links "$here/wheels" --requirement "$here/requirements.txt"
mkdir -p -- "$target/share/kafka-replay"
cp -- "$here/jars/"*.jar "$target/share/kafka-replay/"
"$target/bin/kafka-incident-replay" prepare
trap - EXIT INT TERM
echo "Installed. Analyze logs: $target/bin/kafka-incident-replay analyze LOGS --out RESULT"
"""


def built(folder: Path) -> Path:
    """Build the archive into `folder`, and return its path.

    Raises SetupError if the jar of GraphFrames is not on this machine, CalledProcessError if a wheel cannot be made.
    """
    jar = graphframes_jar()
    if jar is None:
        raise SetupError(f"the jar of {GRAPHFRAMES_PACKAGE} is not on this machine; run `kafka-replay prepare` first")
    check_jar(jar)
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder) as between:
        content = Path(between, _name())
        wheels = content / "wheels"
        wheels.mkdir(parents=True)
        _make_wheels(wheels, Path(between, "locked.txt"))
        own = usual_wheel(wheels)
        pip = _download_pip(wheels)
        installed = [wheel for wheel in sorted(wheels.glob("*.whl")) if wheel.name != pip]
        (content / "requirements.txt").write_text("".join(map(_pinned, installed)), encoding="utf-8")
        (content / "install.sh").write_text(install_script(pip), encoding="utf-8")
        (content / "install.sh").chmod(0o755)
        (content / "jars").mkdir()
        shutil.copy(jar, content / "jars")
        shutil.copy(ROOT / "LICENSE", content)
        assert own in installed
        return _archived(content, folder)


def needed(project: str = PROJECT, extras: Iterable[str] = EXTRAS) -> set[str]:
    """The names of the installed distributions that `project` needs on this platform with these extras. What is not
    installed the lock leaves out on purpose: graphframes-py asks for tools of its own tests.
    """
    waiting = [(canonicalize_name(project), extra) for extra in ("", *extras)]
    seen = set(waiting)
    while waiting:
        name, extra = waiting.pop()
        for text in _requirements(name):
            requirement = Requirement(text)
            if requirement.marker is not None and not requirement.marker.evaluate({"extra": extra}):
                continue
            found = {(canonicalize_name(requirement.name), one) for one in ("", *requirement.extras)} - seen
            seen |= found
            waiting += found
    return {str(name) for name, _ in seen} - {project}


def _requirements(name: str) -> list[str]:
    try:
        return metadata.requires(name) or []
    except metadata.PackageNotFoundError:
        return []


def selected(lock: str, names: set[str]) -> Iterator[str]:
    """The entries of the text of a lock, each with its hashes, whose distribution is among `names`."""
    for entry in re.split(r"(?m)^(?=[A-Za-z0-9])", lock):
        name = re.match(r"[A-Za-z0-9._-]+", entry)
        if name is not None and canonicalize_name(name[0]) in names:
            yield entry


def install_script(pip: str) -> str:
    """The text of install.sh; `pip` is the file name of the wheel of pip that it runs."""
    major, minor = sys.version_info[:2]
    return _INSTALL.format(
        version=product_version(),
        pip=pip,
        python=f"{major}.{minor}",
        major=major,
        minor=minor,
        system=platform.system(),
        machine=platform.machine(),
    )


def _name() -> str:
    major, minor = sys.version_info[:2]
    return f"{PROJECT}-{product_version()}-{platform.system().lower()}-{platform.machine()}-python{major}.{minor}"


def _make_wheels(wheels: Path, locked: Path) -> None:
    """The wheels of the locked releases that a run needs; PySpark's is built from its source distribution."""
    locked.write_text("".join(selected(LOCK.read_text(encoding="utf-8"), needed())), encoding="utf-8")
    _pip("wheel", "--no-deps", "--require-hashes", "--wheel-dir", str(wheels), "--requirement", str(locked))


def _download_pip(wheels: Path) -> str:
    """The file name of the wheel of pip, of the release in this environment: a Python without `ensurepip` has none."""
    _pip("download", "--no-deps", "--dest", str(wheels), f"pip=={metadata.version('pip')}")
    (wheel,) = wheels.glob("pip-*.whl")
    return wheel.name


def _pip(*arguments: str) -> None:
    subprocess.run([sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", *arguments], check=True)


def _pinned(wheel: Path) -> str:
    """The line of requirements.txt for a wheel of this archive."""
    name, version, *_ = wheel.name.split("-")
    with open(wheel, "rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return f"{canonicalize_name(name)}=={version} --hash=sha256:{digest}\n"


def _archived(content: Path, folder: Path) -> Path:
    """The archive of the folder `content`. It is not compressed: wheels and jars are already."""
    made, partial = folder / f"{content.name}.tar", folder / f"{content.name}.tar.partial"
    with tarfile.open(partial, "w") as out:
        out.add(content, arcname=content.name, filter=_without_owner)
    partial.replace(made)
    return made


def _without_owner(entry: tarfile.TarInfo) -> tarfile.TarInfo:
    entry.uid = entry.gid = 0
    entry.uname = entry.gname = ""
    return entry


if __name__ == "__main__":
    try:
        print(built(Path(sys.argv[1] if len(sys.argv) > 1 else "dist")))
    except SetupError as error:
        sys.exit(f"bundle: {error}")
