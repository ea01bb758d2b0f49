"""What logs hold that nobody else should see: passwords, keys, credentials in URLs. It is replaced before anything is
kept.

A form is a regular expression with what stands around a secret in groups, in the dialect that Java and Python share,
so that tables (`hidden`) and lines that a program prints itself (`hidden_text`) are treated alike. A name stays, its
value goes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, reduce

from pyspark.sql import Column
from pyspark.sql import functions as F

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

    @cached_property
    def python(self) -> re.Pattern[str]:
        """`find`, compiled."""
        return re.compile(self.find)


def _valued(what: str, before: str) -> Iterator[Form]:
    """A form for each kind of value that may stand behind `before`."""
    for begin, value, end in _VALUES:
        yield Form(what, rf"(?i)((?:{before}){_NOTHING}{begin})(?!\[hidden\]){value}({end})")


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
_HINT = (
    r"(?i)pass|pwd|secret|credential|hmac|[._-]?key\W|salt|token|authorization|basic |bearer |eyJ|digest|private key|config/users|2f636f6e6669672f7573"
    r"|:[^\s:@/,]{1,200}@|//\S{1,300}@"
)
_SECRET_NAME = rf"(?i){_WIDER_WORD}|jaas|token|\.key$"


def hidden(text: Column) -> Column:
    """`text` with `MASK` in the place of each secret."""
    masked = reduce(lambda so_far, form: F.regexp_replace(so_far, form.find, _put("$")), FORMS, text)
    return F.when(text.rlike(_HINT), masked).otherwise(text)


def count_hidden(text: Column, shown: Column) -> Column:
    """How many secrets of `text` are hidden in `shown`."""
    return F.when(text != shown, _masks(shown) - _masks(text)).otherwise(F.lit(0))


def hidden_text(text: str) -> str:
    """What `hidden` does, for a text of Python's."""
    if re.search(_HINT, text) is None:
        return text
    return reduce(lambda so_far, form: form.python.sub(_put("\\"), so_far), FORMS, text)


def is_secret_name(name: Column) -> Column:
    """Whether a setting of this name holds a secret."""
    return name.rlike(_SECRET_NAME)


def _put(sign: str) -> str:
    return f"{sign}1{MASK}{sign}2"


def _masks(text: Column) -> Column:
    """How often `MASK` stands in `text`."""
    return F.floor((F.length(text) - F.length(F.replace(text, F.lit(MASK), F.lit("")))) / len(MASK)).cast("int")
