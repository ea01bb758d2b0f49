"""The environment of containers in the output of `docker inspect`, `kubectl get` and `kubectl describe`, and in compose
files.

Any variable can hold a secret, whatever its name. A value stays only if its name is known as harmless and the value has
the shape that such a variable has.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from replay.json_text import value_of_json
from replay.reading.secrets import MASK, is_secret_name

_OF_KAFKA = r"(?:KAFKA|KRAFT|CONNECT|ZOOKEEPER|ZOO|SCHEMA_REGISTRY)_"
_NODE = r"(?:\d{1,10}@)?(?:[A-Za-z][\w-]{0,60}://)?[\w.-]{0,253}(?::\d{1,5}){0,3}(?:;\d{1,5})?(?:/[\w.-]{0,80}){0,4}"
_HARMLESS = tuple(  # names of variables, and the shape of their values
    (re.compile(name), re.compile(shape))
    for name, shape in (
        (rf"{_OF_KAFKA}[A-Z0-9_]{{1,120}}", r"-?\d{1,19}(?:\.\d{1,9})?|true|false"),
        (
            rf"(?:{_OF_KAFKA}[A-Z0-9_]{{0,80}})?(?:LISTENERS|ZOOKEEPER_CONNECT|BOOTSTRAP_SERVERS|QUORUM_VOTERS|SERVERS)",
            rf"{_NODE}(?:[,; ]{_NODE}){{0,40}}",
        ),
        (
            rf"{_OF_KAFKA}[A-Z0-9_]{{0,80}}(?:LISTENER_NAMES?|PROCESS_ROLES|PROTOCOL_MAP|LOG_DIRS?|CLUSTER_ID|RACK)"
            r"|(?:KAFKA|SCALA|JAVA|CONFLUENT|ZOOKEEPER)_VERSION|CLUSTER_ID|HOSTNAME|(?:POD|NODE)_(?:NAME|IP)|NAMESPACE|TZ|LANG|LC_ALL|JAVA_HOME",
            r"[\w.,:/+-]{1,400}",
        ),
        (
            r"(?:[A-Z0-9_]{1,80}_)?(?:HEAP|JVM_PERFORMANCE|GC_LOG)_OPTS",
            r"-(?:X[\w:+=.,/%-]{1,200}|server)(?:\s{1,9}-(?:X[\w:+=.,/%-]{1,200}|server)){0,60}\s{0,9}",
        ),
    )
)
_NO_VALUE = re.compile(r"<set to the key '[^'\n]{1,253}' (?:in secret|of config map) '[^'\n]{1,253}'>.{0,80}|null|~|")

_NAME = r"(?P<name>[A-Za-z_][\w.-]{0,200})"
_INSIDE = r"(?:[^\"\\\n]|\\.)*+"
_VALUE = rf"(?:\"(?P<quoted>{_INSIDE})\"?|(?P<value>[^\s\"\\\[\]{{}},]{{1,400}}))"
_TEXT = re.compile(rf"\"{_INSIDE}\"?")
_BLOCK = re.compile(r"\"(?i:env(?:ironment)?)\"\s{0,80}:\s{0,80}(?=[\[{])")
_TOKEN = re.compile(rf"\"{_INSIDE}\"?|[\[\]{{}}]")
_OF_LIST = (
    re.compile(rf"\"name\"\s{{0,80}}:\s{{0,80}}\"{_NAME}\"\s{{0,80}},\s{{0,80}}\"value\"\s{{0,80}}:\s{{0,80}}{_VALUE}"),
    re.compile(rf"\"value\"\s{{0,80}}:\s{{0,80}}{_VALUE}\s{{0,80}},\s{{0,80}}\"name\"\s{{0,80}}:\s{{0,80}}\"{_NAME}\""),
    re.compile(rf"\"{_NAME}=(?P<value>{_INSIDE})\"?"),
)
_OF_OBJECT = (re.compile(rf"\"{_NAME}\"\s{{0,80}}:\s{{0,80}}{_VALUE}"),)
_KEY = re.compile(r"(?P<before> *+(?:- +)?)[\"']?(?i:env(?:ironment)?)[\"']?: *+(?:#.*+)?")
_ITEM = re.compile(rf"(?P<indent> *+)- +[\"']?{_NAME}=")
_FIELD = re.compile(rf"(?P<indent> *+(?P<item>- +)?)[\"']?{_NAME}[\"']?: *+[\"']?")


def hidden_environment(text: str) -> str:
    """`text` with `MASK` in place of the values of environment variables, except those known as harmless. The number of
    lines does not change.
    """
    small = text.lower()
    if '"env' in small:
        text = _in_json(text)
    return "\n".join(_in_yaml(text.split("\n"))) if "env:" in small or "environment:" in small else text


def _shown(name: str, value: str) -> str:
    if _NO_VALUE.fullmatch(value) is not None:
        return value
    is_harmless = not is_secret_name(name) and any(
        of.fullmatch(name) is not None and shape.fullmatch(value) is not None for of, shape in _HARMLESS
    )
    return value if is_harmless else MASK


def _in_json(text: str) -> str:
    if '\\"' in text:
        text = _TEXT.sub(_in_text, text)
    pieces, at = [], 0
    for block in _BLOCK.finditer(text):
        if block.start() >= at:
            end = _end_of_block(text, block.end())
            pieces += [text[at : block.end()], _without_values(text[block.end() : end])]
            at = end
    return "".join((*pieces, text[at:]))


def _in_text(found: re.Match[str]) -> str:
    """A JSON string that itself contains JSON, like the annotations of a pod."""
    if '\\"env' not in found[0].lower():
        return found[0]
    text = value_of_json(found[0] if found[0].endswith('"') else f'{found[0]}"')
    shown = _in_json(text) if isinstance(text, str) else MASK  # truncated within a character
    return found[0] if shown == text else json.dumps(shown)


def _end_of_block(text: str, at: int) -> int:
    """The end of the list or object that begins at `at`; the end of the text if it is truncated."""
    depth = 0
    for token in _TOKEN.finditer(text, at):
        depth += (token[0] in ("[", "{")) - (token[0] in ("]", "}"))
        if depth == 0:
            return token.end()
    return len(text)


def _without_values(block: str) -> str:
    for entry in _OF_OBJECT if block.startswith("{") else _OF_LIST:
        block = entry.sub(_without_value, block)
    return block


def _without_value(found: re.Match[str]) -> str:
    of = next(name for name in ("quoted", "value") if found.groupdict().get(name) is not None)
    begin, end = (position - found.start() for position in found.span(of))
    return found[0][:begin] + _shown(found["name"], found[of]) + found[0][end:]


def _in_yaml(lines: list[str]) -> list[str]:
    at = 0
    while at < len(lines):
        key = _KEY.fullmatch(lines[at])
        at += 1
        if key is not None:
            end = _end_of_lines(lines, at, len(key["before"]))
            lines[at:end] = _without_yaml_values(lines[at:end])
            at = end
    return lines


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def _end_of_lines(lines: list[str], at: int, indent: int) -> int:
    """The end of the block whose key has this indent: the items of a list may have the same indent as their key."""
    while at < len(lines):
        line = lines[at]
        if line.strip() and not (_indent(line) > indent or (_indent(line) == indent and line.lstrip().startswith("-"))):
            break
        at += 1
    return at


def _without_yaml_values(lines: list[str]) -> Iterator[str]:
    first = next(filter(str.strip, lines), "")
    name, hidden_at = "", None
    for line in lines:
        if hidden_at is not None and line.strip() and _indent(line) > hidden_at:
            yield line[: _indent(line)] + MASK  # the rest of a hidden value
            continue
        hidden_at = hidden_at if not line.strip() else None
        is_list = first.lstrip().startswith("-")
        of = _ITEM.match(line) if is_list else None
        of = of or _FIELD.match(line)
        if of is None or not (is_list or _indent(line) == _indent(first)):
            yield line
            continue
        value = line[of.end() :].rstrip().removesuffix('"').removesuffix("'")
        if not is_list or of.re is _ITEM:
            name = of["name"]
        elif of["name"] != "value":
            name = value if of["name"] == "name" else "" if of["item"] else name
            yield line
            continue
        shown = _shown(name, value)
        hidden_at = len(of["indent"]) if shown != value else None
        yield line[: of.end()] + shown + line[of.end() + len(value) :]
