"""Runs the tools of a host or a cluster for `collect`: docker, kubectl, journalctl, dmesg."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Sequence

from pipelines.evidence_files import Archive
from replay.errors import InputError, SetupError

_LOGGED = re.compile(r"[EWI]\d{4} [\d:.]+ +\d+ \S+\] ")  # klog
WAIT_S = 600  # a node that does not answer within this time is skipped, with a note


def tool(name: str) -> str:
    found = shutil.which(name)
    if found is None:
        raise SetupError(
            f"{name} is not on the PATH: run this where it is, or copy the files manually (see README, Collecting)"
        )
    return found


def must(command: Sequence[str]) -> str:
    """The output of a command. Raises InputError if it fails."""
    answer = subprocess.run(command, capture_output=True, text=True, timeout=WAIT_S, check=False)
    if answer.returncode:
        raise InputError(f"{' '.join(command[:4])} … failed: {_reason(answer.stderr)}")
    return answer.stdout


def _reason(error: str) -> str:
    """A tool's error message on one line; without kubectl's log lines, unless there is nothing else."""
    lines = [line for line in error.splitlines() if line.strip()]
    reasons = [line for line in lines if not _LOGGED.match(line)] or lines
    return " ".join(" ".join(reasons).split())[:200]


def asked(command: Sequence[str], archive: Archive, *, both: bool = False, quiet: bool = False) -> bytes | None:
    """The output of a command (with `both`, its error output too). If it fails, None, and the archive gets a note."""
    try:
        answer = subprocess.run(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT if both else subprocess.PIPE,
            timeout=WAIT_S,
            check=False,
            env=os.environ | {"LC_ALL": "C.UTF-8"},
        )
    except subprocess.TimeoutExpired:
        archive.miss(f"{' '.join(command[:5])}: no answer within {WAIT_S} s")
        return None
    if answer.returncode:
        if not quiet:
            archive.miss(f"{' '.join(command[:5])}: {(answer.stderr or b'').decode(errors='replace').strip()[:200]}")
        return None
    return answer.stdout
