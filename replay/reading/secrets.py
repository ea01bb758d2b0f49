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
    r"pass(?:word|wd|phrase|code)s?|(?<![A-Za-z])pass(?![A-Za-z])|(?<![A-Za-z])(?:db|ldap)?pwd|bindpw|secret|hmac"
    r"|super[._-]?digest|user[._-]info|(?<![A-Za-z])license(?![A-Za-z])|client[._-]?assertion(?![._-]?type)"
    r"|keytab base64|(?<![A-Za-z])pin(?=\s?=\s?\S{4})"
    r"|(?:private|access|encryption|stored|server|client|account|shared)[._-]?key(?![A-Za-z])"
    r"|api[._-]key(?![A-Za-z])"  # Kafka's own apiKey is the number of a kind of request
    r"|(?<![A-Za-z])salt(?![A-Za-z])|(?:keystore|ssl)\.key(?![A-Za-z])"
    r"|(?:access|refresh|auth|session|bearer|security)[._-]?token(?![A-Za-z.])|(?<![A-Za-z])authorization(?![A-Za-z])"
)
_WIDER_WORD = rf"{_WORD}|credentials?(?![A-Za-z])|(?<![A-Za-z])(?:[A-Za-z]{{1,40}}[._-])?token(?![A-Za-z.])"
_NAME = rf"[\w.-]{{0,80}}?(?:{_WIDER_WORD})[\w.-]{{0,80}}"
_QUOTE = r"\\{0,8}[\"']"
# `name=value` of a name that is no partition (`password-resets-0=…`); `"name": "value"`; `name: value` where the name
# ends so.
_GAP = r"[^\S\n]{0,80}+"
_IS = rf"{_GAP}(?:=>|->|:=|[=＝])(?:{_GAP}\n(?![\s\w.-]{{1,90}}[=:]))?{_GAP}"
_NAMED = (
    rf"(?<![\w.-]){_NAME}(?<!-\d)(?<!-\d\d)(?<!-\d\d\d)(?:{_QUOTE})?{_IS}"
    rf"|(?<![\w.-]){_NAME}{_QUOTE}{_GAP}:{_GAP}"
    rf"|(?<![\w.-])[\w.-]{{0,80}}?(?:{_WORD}){_GAP}:{_GAP}"
)
# What says that there is nothing to hide, or that it is hidden already; a class in the place of a value; the kind of
# a header.
_NOTHING = (
    r"(?!\\{0,8}[\"']?(?:null|none|true|false|\[hidden\]|\[redacted\]|\*+|basic|bearer|digest|negotiate|apikey|token|aws4-hmac-sha256)?"
    r"\\{0,8}[\"']?(?:[\s,;)}\]]|$)|(?:org|com|io|java|javax|kafka|net|software)\.(?:[a-z0-9_]{1,40}\.){1,9}[A-Z])"
)
# Values in quotes, whose quotes stay; a list of bytes; or bare, up to the end of its brackets or to the next name.
_VALUES = (
    (r"\"", r"[^\"\\]*+(?:\\.[^\"\\]*+)*+", r"\"|$"),
    (r"\\{1,8}\"", r"(?:(?!\\{1,8}\").)++", r"(?:\\{1,8}\")?"),
    (r"'", r"[^'\\]*+(?:\\.[^'\\]*+)*+", r"'|$"),
    (
        r"",
        r"(?:(?:\[[^\[\]]*+\]?|\{[^{}]*+\}?|\([^()]*+\)?)\w*|\\?[^\s\"'\\\[{(]\S*?(?=[)\]}>\"'\\,;.]{0,8}(?:\s|$)|[,;&](?-i:[a-z])[\w.-]{0,80}\\{0,8}[\"']?[=:]))",
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
    Form(
        "a private key",
        r"(?s)(-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----)(?:(?!-----END).)++((?:-----END [A-Z ]{0,30}PRIVATE KEY-----)?)",
    ),
    Form(
        "a user and a password in a URL",
        r"(\b[A-Za-z][\w+.-]{1,20}://[^\s/@:\"'<>]{0,100}:)(?!\d{1,5}(?:[/\s]|,[\w.-]{1,80}:\d)|\[hidden\])[^\s\"'<>]{1,200}(@)",
    ),
    Form("a token in a URL", r"(?i)(\bhttps?://)(?!\[hidden\])[^\s/@:\"'<>,]{1,200}(@)"),
    Form(
        "a user and a password before a host",
        r"((?<![\w:./@-])(?!User:|Group:|Principal:|mailto:)[\w.-]{1,64}:)(?!\[hidden\])"
        r"[^\s:@/,;=\"'()\[\]{}<>]{1,200}(@(?![0-9a-f]{1,8}(?![\w.:-]))[A-Za-z0-9][\w.-]*)",
    ),
    Form(
        "a header of HTTP",
        r"(?i)(\bAuthorization[\"']?\s{0,80}[:=]\s{0,80}[\"']?(?:Digest|AWS4-HMAC-SHA256|OAuth|Hawk) )(?!\[hidden\])[^\n]{1,4000}()",
    ),
    Form(
        "a header of HTTP",
        r"(?i)(\bAuthorization[\"']?\s{0,80}[:=]\s{0,80}[\"']?[A-Za-z][\w-]{0,40} )(?!\[hidden\])[^\s\"',;})\]]{1,8000}()",
    ),
    Form("a header of HTTP", r"(?i)(\b(?:Basic|Bearer) )[A-Za-z0-9+/=._~-]{16,}()"),
    Form(
        "a header of HTTP",
        r"(?i)(\bX-[\w-]{1,40}-(?:Token|Key|Signature)[\"']?\s{0,9}:\s{0,9}[\"']?)(?!\[hidden\])[^\s\"',;]{1,4000}()",
    ),
    Form(
        "cookies",
        r"(?i)(\b(?:Set-)?Cookie[\"']?\s{0,9}[:=]\s{0,9}[\"']?)(?!\[hidden\])(?=[^\n]{0,400}=)[^\n\"']{1,8000}()",
    ),
    Form(
        "a signature in a URL", r"(?i)([?&;,\s](?:X-Amz-Signature|sig|signature)=)(?!\[hidden\])[^\s&,;\"']{6,4000}()"
    ),
    Form("a key in a URL", r"(?i)([?&](?:api[_-]?)?key=)(?!\[hidden\])[^\s&\"']{6,400}()"),
    Form(
        "a user and a password of Oracle",
        r"(?i)(\bjdbc:oracle:[a-z]{1,9}:[^\s/@]{1,80}/)(?!\[hidden\])[^\s@]{1,200}(@)",
    ),
    Form(
        "the credentials of a command",
        r"(?i)(\bcurl\b[^\n]{0,400}?\s(?:-u|--user)[ =]?[\"']?[^\s:\"']{1,80}:)(?!\[hidden\])[^\s\"']{1,200}()",
    ),
    Form("the credentials of a command", r"(\bmysql\w{0,9}\b[^\n]{0,400}?\s-p)(?!\[hidden\])[^\s-]\S{0,200}()"),
    Form(
        "the credentials of a command",
        r"(?i)((?<!\S)--?[\w.-]{0,40}?(?:pass(?:word|wd|phrase|in|out)?|pwd|secret|token|api-?key)(?:=|\s{1,9})[\"']?(?:pass:|env:|file:)?)"
        r"(?!-|\[hidden\])[^\s\"']{1,400}()",
    ),
    Form("a proof of SCRAM", r"((?<![\w])[cn]=[^\s,]{1,80},r=[^\s,]{1,300},p=)(?!\[hidden\])[^\s,)]{1,400}()"),
    Form(
        "a token of a vendor",
        r"((?<![A-Za-z0-9_])(?:gh[pousr]_|github_pat_|glpat-|hvs\.|hvb\.|xox[abeprs]-|xapp-|[sr]k_(?:live|test)_|AIza|npm_|pypi-AgE|dop_v1_|ya29\."
        r"|SG\.|AGE-SECRET-KEY-|dapi(?=[0-9a-f]{30})|sk-(?=[\w-]{20})|A(?:KI|SI)A(?=[0-9A-Z]{16}(?![0-9A-Z]))))(?!\[hidden\])[\w.-]{6,400}()",
    ),
    Form(
        "a webhook",
        r"(?i)(\bhooks\.slack\.com/services/[^\s/]{1,40}/[^\s/]{1,40}/|discord(?:app)?\.com/api/webhooks/\d{1,30}/)(?!\[hidden\])[^\s\"'/]{1,200}()",
    ),
    Form(
        "a user in a line of JAAS",
        r"(\buser_(?!agent|id\b|name\b)[\w.@-]{1,80}\s{0,9}=\s{0,9}\\{0,4}\")(?!\[hidden\])[^\"\\\n]{1,400}()",
    ),
    Form(
        "a private key",
        r"(PuTTY-User-Key-File(?:[^\n]{0,200}\n){1,12}?Private-Lines: \d{1,4}\n)(?!\[hidden\])(?:\S{1,200}(?:\n|$)){1,400}()",
    ),
    Form("a token of JSON", r"(\b)eyJ[\w-]{8,4000}+\.[\w-]{4,4000}+\.?[\w-]*()"),
    Form("a user and a password of ZooKeeper", r"(?i)(\bdigest[\s',:]{1,4}[\w.-]{1,64}:)(?!\[hidden\])[^\s',:)]{4,}()"),
    # What a transaction log of ZooKeeper says of users (SCRAM), in text and in hexadecimal.
    Form("the credentials of a user in ZooKeeper", r"(/config/users/[^,\s]{1,250},)(?!\[hidden\])[^\s,]{4,}()"),
    Form("the credentials of a user in ZooKeeper", r"(2f636f6e6669672f75736572732f)[0-9a-f]{8}[0-9a-f]*()"),
    *_valued(
        "a setting as name and value",
        rf"\bname{_QUOTE}?\s?[=:]\s?{_QUOTE}?{_NAME}{_QUOTE}?(?:,\s?|\s{{1,80}}){_QUOTE}?value(?:{_QUOTE})?\s?[=:]\s?",
    ),
    Form(
        "a setting as value and name",
        rf"(?i)(\bvalue[\"']?\s?[=:]\s?[\"'])(?!\[hidden\])[^\"'\n]{{1,400}}([\"'],\s?[\"']?name[\"']?\s?[=:]\s?[\"']?{_NAME})",
        is_named=True,
    ),
    Form(
        "a value that was refused",
        rf"(?i)(\bInvalid value )(?!\[hidden\]|null)[^\n]{{1,400}}?( for configuration {_NAME})",
        is_named=True,
    ),
    Form(
        "an element of XML",
        rf"(?i)(<[\w:.-]{{0,60}}?(?:{_WORD})[\w:.-]{{0,40}}>)(?!\[hidden\])[^<\n]{{1,2000}}(</)",
        is_named=True,
    ),
    Form(
        "a named value, encoded",
        rf"(?i)((?:{_WORD})[\w.-]{{0,80}}(?:%22|&quot;|&#34;)?(?:%3D|%3A|[=:])(?:%20| )?(?:%22|&quot;|&#34;))(?!\[hidden\])[^\s&%\"']{{1,400}}()",
        is_named=True,
    ),
    Form(
        "a named value, encoded",
        rf"(?i)((?:{_WORD})[\w.-]{{0,80}}%3[AD])(?!\[hidden\]|%22)[^\s&%\"']{{1,400}}()",
        is_named=True,
    ),
    Form("a password in an object", r"(\bPassword\()(?!\[hidden\])[^()\s]{1,400}(\))", is_named=True),
    # A password of several words: all that the line of a setting holds.
    Form(
        "a named value",
        rf"(?im)(^[^\S\n]{{0,80}}{_NAME}{_GAP}={_GAP})(?!\[hidden\]|[\"'])(?=[^\n=]{{0,400}}[ ,][^\n=]{{0,400}}$)(?:(?:null|none|true|false)[ ,]+)?[^\n=]{{1,800}}$()",
        is_named=True,
    ),
    Form(
        "a named value",
        rf"(?im)(^[^\S\n]{{0,80}}[\w-]{{1,40}}\.[\w.-]{{0,80}}?(?:{_WORD})[^\S\n]{{1,80}})(?!\[hidden\])[^\s=:]\S{{0,400}}[^\S\n]*$()",
        is_named=True,
    ),
    *_valued("a setting that was set", rf"\bconfiguration {_NAME} to "),
    *_valued("a named value", _NAMED),
    # In a sentence: in quotes, or what no word of English is.
    Form(
        "a password in a sentence",
        r"(?i)((?<![\w.-])(?:pass(?:word|wd|phrase|code)|pwd|secret|credential)\s(?:is |was |of )?\s?)"
        r"(?!\[hidden\])(?=[^\s]{0,200}\d)(?=[^\s]{0,200}[A-Za-z])[^\s()\"',;:=]{4,200}()",
        is_named=True,
    ),
    Form(
        "a password in a sentence",
        r"(?i)((?<![\w.-])(?:pass(?:word|wd|phrase|code)|pwd|secret)\s(?:is |was )?[\"'])(?!\[hidden\])[^\"'\n]{1,200}([\"'])",
        is_named=True,
    ),
)

# Whether a text can hold any of the forms, in one cheap look: nearly all lines hold none.
_HINT = re.compile(
    r"(?i)pass|pwd|bindpw|secret|cookie|sig=|signature=|user_|user[._-]info|license|assertion|keytab|pin\s?=|jdbc:oracle|curl|mysql|,p=|apikey=|[?&]key=|credential|hmac|[._-]?key\W|salt|token|authorization|basic |bearer |eyJ|digest|private key|config/users|2f636f6e6669672f7573"
    r"|gh[pousr]_|github_pat|glpat-|hv[sb]\.|xox|xapp-|[sr]k_(?:live|test)|AIza|npm_|pypi-|dop_v1|ya29|SG\.|dapi|sk-|A(?:KI|SI)A|webhooks/|slack\.com|PuTTY|digest|:[^\s:@/,]{1,200}@|//\S{1,300}@"
)
# What stands in each of them, in small letters: to look for fixed texts costs a tenth of an expression.
_SIGNS = (
    "pass", "pwd", "secret", "credential", "hmac", "key", "salt", "token", "authorization", "basic ", "bearer ", "eyj",
    "digest", "config/users", "2f636f6e6669672f7573", "@",
    "bindpw", "cookie", "sig=", "signature=", "user_", "user.info", "user_info", "license", "assertion", "pin=", "pin =", "jdbc:oracle", "curl", "mysql",
    ",p=", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat", "glpat-", "hvs.", "hvb.", "xox", "xapp-", "k_live", "k_test", "aiza", "npm_", "pypi-",
    "dop_v1", "ya29", "sg.", "dapi", "sk-", "akia", "asia", "webhooks/", "slack.com", "putty", "\\u00", "\x1b", "\x00", "\u200b", "\u2060", "\ufeff",
)  # fmt: skip
_NAMES_ONE = re.compile(rf"(?i){_WIDER_WORD}")
_SECRET_NAME = re.compile(rf"(?i){_WIDER_WORD}|jaas|token|\.key$")


# What is not seen on a screen, and stands amid a name or around it; what stands for a letter in a file of properties.
_UNSEEN = re.compile("\x1b\\[[0-9;]{0,20}m|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\u200b-\u200f\u2060\ufeff]")
_ESCAPED = re.compile(r"\\u00([2-7][0-9a-fA-F])|\\(?=[=:])")


def hidden_text(text: str) -> str:
    """`text` with `MASK` in the place of each secret."""
    if not _may_hold_one(text.lower()):
        return text
    if _UNSEEN.search(text) or "\\u00" in text:
        plain = _ESCAPED.sub(lambda found: chr(int(found[1], 16)) if found[1] else "", _UNSEEN.sub("", text))
        if plain != text and (shown := _hidden(plain)) != plain and _hidden(text).count(MASK) < shown.count(MASK):
            return shown
    return _hidden(text)


def hidden_lines(text: str) -> str:
    """`text` with `MASK` in the place of each line of a private key; as many lines as before."""
    if "PRIVATE KEY-----" not in text:
        return text
    return _KEY_OVER_LINES.sub(lambda found: found[1] + re.sub(r"[^\n\\]+", MASK, found[2]) + found[3], text)


_KEY_OVER_LINES = re.compile(
    r"(?s)(-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----)((?:(?!-----).)*+)((?:-----END [A-Z ]{0,30}PRIVATE KEY-----)?)"
)


def _hidden(text: str) -> str:
    if _HINT.search(text) is None:
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
