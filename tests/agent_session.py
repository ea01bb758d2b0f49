"""An assistant's session for docs/agent-session.md: the SDK's client asks `kafka-replay mcp` over standard input and
output.

`python -m tests.agent_session RESULT` writes the page from a result of traces/unclean-election-zk-2.8.2/input.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import anyio
from mcp import Client, StdioServerParameters

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "agent-session.md"
TRACE = "unclean-election-zk-2.8.2"
_MOST_COLUMNS, _MOST_LINES = 125, 26
ASKED: tuple[tuple[str, dict[str, Any]], ...] = (
    ("incidents", {}),
    ("explain", {"what": "F16"}),
    ("at", {"at": "05:38:20", "topic": "orders"}),
    ("catalogue_explain", {"text": "[2026-11-21 05:39:08,454] INFO [Log partition=clicks-1, dir=/var/lib/kafka/data0] Truncating to offset 292 (kafka.log.Log)"}),
    ("at", {"at": "half past five"}),
)  # fmt: skip
_HEAD = """\
# A session of an assistant

<!-- Written by `python -m tests.agent_session RESULT`: the client of the MCP SDK asks, `kafka-replay mcp` answers; a test holds this page against it. -->

`kafka-replay analyze traces/{trace}/input`, then `kafka-replay mcp kafka-replay-result`, asked by the official SDK's client over standard input
and output. This page cuts lines after {columns} characters and answers after {lines} lines.

## Instructions that the assistant receives

```
{instructions}
```
"""


async def session(result: Path) -> str:
    """The page: instructions, then every call with its answer."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "kafka-replay-result").symlink_to(result.resolve())  # so that no answer names a path of a machine
        server = StdioServerParameters(
            command=sys.executable,
            args=["-m", "pipelines", "mcp", "kafka-replay-result"],
            cwd=folder,
            env={"PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])},
        )
        async with Client(server) as client:
            tools = [tool.name for tool in (await client.list_tools()).tools]
            parts = [
                _HEAD.format(trace=TRACE, columns=_MOST_COLUMNS, lines=_MOST_LINES, instructions=client.instructions)
            ]
            parts.append(f"Its tools: {', '.join(f'`{tool}`' for tool in tools)}.\n")
            for name, arguments in ASKED:
                answer = await client.call_tool(name, arguments)
                said = _shown([line for block in answer.content for line in block.text.split("\n")])
                refused = ", which is refused" if answer.is_error else ""
                parts.append(f"## {name} `{json.dumps(arguments)}`{refused}\n\n```\n{said}\n```\n")
    return "\n".join(parts)


def _shown(lines: Sequence[str]) -> str:
    """The first and the last lines of an answer, each truncated to a width."""
    kept = lines
    if len(lines) > _MOST_LINES:
        kept = [*lines[: _MOST_LINES - 2], f"({len(lines) - _MOST_LINES + 1} lines not shown here)", lines[-1]]
    return "\n".join(map(_cut, kept))


def _cut(line: str) -> str:
    text = line.rstrip()
    return text if len(text) <= _MOST_COLUMNS else f"{text[:_MOST_COLUMNS]} …"


if __name__ == "__main__":
    PAGE.write_text(anyio.run(session, Path(sys.argv[1])), encoding="utf-8")
    print(PAGE)
