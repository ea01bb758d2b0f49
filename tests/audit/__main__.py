"""Audits results: `python -m tests.audit RESULT...`."""

from __future__ import annotations

import sys
from pathlib import Path

from tests.audit.checks import contradictions
from tests.audit.printed import read


def main(folders: list[str]) -> int:
    """Prints the contradictions of each result. Returns 1 if there is one."""
    failed = False
    for folder in folders:
        result = read(Path(folder))
        found = contradictions(result)
        failed |= bool(found)
        print(f"{folder}: {len(result.printed)} texts, {len(result.marks)} marks, {len(found)} contradictions")
        for one in found:
            print(f"  {one}")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
