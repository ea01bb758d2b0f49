"""Reads Java's crash report, `hs_err_pid….log`: the signal or error, the frame it occurred in, and the time.

The time is in the time zone of the process, like its log. Sources: src/hotspot/share/utilities/vmError.cpp of OpenJDK 8
to 21; public samples.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from replay.reading.layouts import MONTHS
from replay.reading.parsed_witness import ParsedWitness
from replay.reading.stamps import micros_of

BEGINS = (
    r"(?m)\A\s*(?:#\s*\n)?# +(?:A fatal error has been detected by the Java Runtime Environment"
    r"|There is insufficient memory for the Java Runtime Environment to continue)"
)
_ERROR = re.compile(
    r"(?m)^# +(?:(?P<signal>(?:SIG|EXCEPTION_)\w+) \((?P<number>0x[0-9a-f]+)\) at pc=[^\s,]+(?: \((?P<sent>[^)\n]{0,400})\))?|(?P<error>(?:Internal Error|Out of Memory Error)) \((?P<place>[^)\n]{0,400})\)), pid=(?P<pid>\d+)"
)
_NATIVE = re.compile(
    r"(?m)^# (Native memory allocation \(\w+\) failed to .*|Cannot create GC thread.*|Failed to reserve .*)"
)
_REASON = re.compile(r"(?m)^#  +((?:fatal error|Error|guarantee\(|assert\(|OutOfMemory encountered).*)")
_FRAME = re.compile(r"(?m)^# Problematic frame:\n# +(\S++(?:[^\S\n]++\S++)*+)\s*?$")
_TIME = re.compile(
    rf"(?mi)^time: [A-Z][a-z]{{2}} (?P<month>{'|'.join(MONTHS)}) +(?P<day>\d{{1,2}}) (?P<time>\d\d:\d\d:\d\d) (?P<year>\d{{4}})(?: (?P<zone>.{{0,60}}?))?(?: elapsed time: (?P<elapsed>\d+(?:\.\d+)?) seconds.*)?$"
)
_ELAPSED = re.compile(r"(?m)^elapsed time: (\d+(?:\.\d+)?) seconds")
_ZONE = re.compile(r"(?m)^timezone: (\S*+(?:[^\S\n]++\S++)*+)\s*?$")
_COMMAND = re.compile(r"(?m)^(?:java_command: |Command Line: (?:-\S+ +)*)([^\s-]\S*)")
_OTHER_PROGRAM = re.compile(r"(?i)^(?!.*kafka)|connect|zookeeper|mirror|\.tools\.|\.admin\.|streams")
_INSTANT = ("UTC", "GMT", "Z")


def crash_statements(text: str) -> Iterator[tuple[int, ParsedWitness]]:
    """The crash that a report describes, at the line that names the signal or the error; nothing for programs other
    than a broker.
    """
    error = _ERROR.search(text)
    if error is None:
        return
    when, frame, command = _TIME.search(text), _FRAME.search(text), _first(_COMMAND, text)
    if command is not None and _OTHER_PROGRAM.search(command):
        return
    details = {
        "signal": error["signal"],
        "sent": error["sent"],
        "error": error["error"],
        "place": error["place"],
        "pid": error["pid"],
        "frame": frame[1] if frame else None,
        "said": _first(_REASON, text),
        "lacked": _first(_NATIVE, text),
        "elapsed_s": (when["elapsed"] if when else None) or _first(_ELAPSED, text),
        "command": command,
        "precise_ms": "1000",
    }
    micros = None
    if when is not None:
        day = f"{MONTHS.index(when['month']) + 1:02d}-{int(when['day']):02d}"
        micros = micros_of(f"{when['year']}-{day} {when['time']}")
    is_instant = ((when["zone"] if when else None) or _first(_ZONE, text)) in _INSTANT
    lines = [error[0], *(found[0] for found in (frame, when) if found)]
    yield (
        text.count("\n", 0, error.start()) + 1,
        ParsedWitness(
            "jvm_crash",
            {},
            {name: value for name, value in details.items() if value},
            True,
            micros,
            " ".join(line.replace("\n", " ").replace("#", "").strip() for line in lines),
            zone_known=is_instant,
        ),
    )


def _first(pattern: re.Pattern[str], text: str) -> str | None:
    """The first group of the pattern's first match."""
    found = pattern.search(text)
    return None if found is None else found[1]
