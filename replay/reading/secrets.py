"""What logs hold that nobody else should see: passwords, keys, credentials in URLs. It is replaced before anything is
kept.

A form is a regular expression with what stands around a secret in groups. A name stays, its value goes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

MASK = "[hidden]"  # Kafka's own word for the value of a setting that is a password

# A part of the name of a setting or a field that says that its value is secret.
_WORD = (
    r"pass(?:word|wd|phrase|code)s?|(?<![A-Za-z])pass(?![A-Za-z])|(?<![A-Za-z])pwd|secret|hmac"
    r"|(?:private|access|encryption|stored|server|client|account|shared)[._-]?key(?![A-Za-z])"
    r"|api[._-]key(?![A-Za-z])"  # Kafka's own apiKey is the number of a kind of request
    r"|(?<![A-Za-z])salt(?![A-Za-z])|(?:keystore|ssl)\.key(?![A-Za-z])"
    r"|(?:access|refresh|auth|session|bearer)[._-]?token(?![A-Za-z.])|(?<![A-Za-z])authorization(?![A-Za-z])"
)
_WIDER_WORD = rf"{_WORD}|credentials?(?![A-Za-z])|(?<![A-Za-z])(?:[A-Za-z]{{1,40}}[._-])?token(?![A-Za-z.])"
_NAME = rf"[\w.-]{{0,80}}?(?:{_WIDER_WORD})[\w.-]{{0,80}}"
_QUOTE = r"\\{0,8}[\"']"
# `name=value` of a name that is no partition (`password-resets-0=…`); `"name": "value"`; `name: value` where the name
# ends so.
_NAMED = (
    rf"(?<![\w.-]){_NAME}(?<!-\d)(?<!-\d\d)(?<!-\d\d\d)(?:{_QUOTE})?\s{{0,3}}=\s{{0,3}}"
    rf"|(?<![\w.-]){_NAME}{_QUOTE}\s?:\s{{0,3}}"
    rf"|(?<![\w.-])[\w.-]{{0,80}}?(?:{_WORD})\s?:\s{{0,3}}"
)
# What says that there is nothing to hide, or that it is hidden already; a class in the place of a value; the kind of
# a header.
_NOTHING = (
    r"(?!\\{0,8}[\"']?(?:null|none|true|false|\[hidden\]|\[redacted\]|\*+|basic|bearer|digest|negotiate)?"
    r"\\{0,8}[\"']?(?:[\s,;)}\]]|$)|(?:[a-z]+\.){2,9}[A-Z])"
)
# Values in quotes, whose quotes stay; a list of bytes; or bare, up to the end of its brackets or to the next name.
_VALUES = (
    (r"\"", r"[^\"\\]*+(?:\\.[^\"\\]*+)*+", r"\"|$"),
    (r"\\{1,8}\"", r"(?:(?!\\{1,8}\").)+", r"\\{1,8}\"|$"),
    (r"'", r"[^'\\]*+(?:\\.[^'\\]*+)*+", r"'|$"),
    (
        r"",
        r"(?:\[[^\[\]]*+\]?|[^\s\"'\\\[{(]\S*?(?=[)\]}>\"'\\,;.]{0,8}(?:\s|$)|[,;&][\w.-]{1,80}\\{0,8}[\"']?[=:]))",
        r"",
    ),
)


@dataclass(frozen=True)
class Form:
    """A way in which a secret stands in a text: `find` has what stays before it as group 1, what stays behind it as
    group 2.
    """

    what: str
    find: str
    is_named: bool = False  # the name of a secret stands before it

    @cached_property
    def python(self) -> re.Pattern[str]:
        """`find`, compiled."""
        return re.compile(self.find)


def _valued(what: str, before: str) -> Iterator[Form]:
    """A form for each kind of value that may stand behind `before`."""
    for begin, value, end in _VALUES:
        yield Form(what, rf"(?i)((?:{before}){_NOTHING}{begin})(?!\[hidden\]){value}({end})", is_named=True)


FORMS = (
    Form("a private key", r"(?s)(-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----).+?(-----END [A-Z ]{0,30}PRIVATE KEY-----|$)"),
    Form(
        "a user and a password in a URL",
        r"(\b[A-Za-z][\w+.-]{1,20}://[^\s/@:\"'<>]{0,100}:)(?!\d{1,5}[/,\s]|\[hidden\])[^\s\"'<>]{1,200}(@)",
    ),
    Form("a token in a URL", r"(?i)(\bhttps?://)(?!\[hidden\])[^\s/@:\"'<>,]{1,200}(@)"),
    Form(
        "a user and a password before a host",
        r"((?<![\w:./@-])(?!User:|Group:|Principal:|mailto:)[\w.-]{1,64}:)(?!\[hidden\])"
        r"[^\s:@/,;=\"'()\[\]{}<>]{1,200}(@(?![0-9a-f]{1,8}(?![\w.:-]))[A-Za-z0-9][\w.-]*)",
    ),
    Form("a header of HTTP", r"(?i)(\b(?:Basic|Bearer) )[A-Za-z0-9+/=._~-]{16,}()"),
    Form("a token of JSON", r"(\b)eyJ[\w-]{8,4000}+\.[\w-]{4,4000}+\.?[\w-]*()"),
    Form("a user and a password of ZooKeeper", r"(?i)(\bdigest[\s',:]{1,4}[\w.-]{1,64}:)(?!\[hidden\])[^\s',:)]{4,}()"),
    # What a transaction log of ZooKeeper says of users (SCRAM), in text and in hexadecimal.
    Form("the credentials of a user in ZooKeeper", r"(/config/users/[^,\s]{1,250},)(?!\[hidden\])[^\s,]{4,}()"),
    Form("the credentials of a user in ZooKeeper", r"(2f636f6e6669672f75736572732f)[0-9a-f]{8,}+()"),
    *_valued(
        "a setting as name and value",
        rf"\bname{_QUOTE}?\s?[=:]\s?{_QUOTE}?{_NAME}{_QUOTE}?,\s?{_QUOTE}?value(?:{_QUOTE})?\s?[=:]\s?",
    ),
    *_valued("a setting that was set", rf"\bconfiguration {_NAME} to "),
    *_valued("a named value", _NAMED),
)

# Whether a text can hold any of the forms, in one cheap look: nearly all lines hold none.
_HINT = re.compile(
    r"(?i)pass|pwd|secret|credential|hmac|[._-]?key\W|salt|token|authorization|basic |bearer |eyJ|digest|private key|config/users|2f636f6e6669672f7573"
    r"|:[^\s:@/,]{1,200}@|//\S{1,300}@"
)
# What stands in each of them, in small letters: to look for fixed texts costs a tenth of an expression.
_SIGNS = (
    "pass", "pwd", "secret", "credential", "hmac", "key", "salt", "token", "authorization", "basic ", "bearer ", "eyj",
    "digest", "config/users", "2f636f6e6669672f7573", "@",
)  # fmt: skip
_NAMES_ONE = re.compile(rf"(?i){_WIDER_WORD}")
_SECRET_NAME = re.compile(rf"(?i){_WIDER_WORD}|jaas|token|\.key$")


def hidden_text(text: str) -> str:
    """`text` with `MASK` in the place of each secret."""
    if not _may_hold_one(text.lower()) or _HINT.search(text) is None:
        return text
    is_named = _NAMES_ONE.search(text) is not None
    for form in FORMS:
        if is_named or not form.is_named:
            text = form.python.sub(rf"\1{MASK}\2", text)
    return text


def _may_hold_one(small: str) -> bool:
    for sign in _SIGNS:  # noqa: SIM110 - half the time of any(), and this runs for every line
        if sign in small:
            return True
    return False


def hidden_and_counted(text: str) -> tuple[str, int]:
    """`text` with `MASK` in the place of each secret, and how many there were."""
    shown = hidden_text(text)
    return shown, 0 if shown is text else shown.count(MASK) - text.count(MASK)


def is_secret_name(name: str) -> bool:
    """Whether a setting of this name holds a secret."""
    return _SECRET_NAME.search(name) is not None
