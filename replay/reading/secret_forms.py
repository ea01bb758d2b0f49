"""Secrets that are recognized by their own format or by the text around them: vendors' tokens, headers, keys, URLs,
commands.

`replay.reading.secret_values` finds those after the name of a setting.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

NOT_HIDDEN = r"(?!\[hidden\])"


@dataclass(frozen=True)
class Form:
    """A pattern of a secret in a text: group 1 of `find` is the text before the secret, group 2 the text after it.

    It can match only texts that contain one of `signs` in lower case.
    """

    what: str
    signs: tuple[str, ...]
    find: str

    @cached_property
    def python(self) -> re.Pattern[str]:
        """`find`, compiled."""
        return re.compile(self.find)

    def hidden_in(self, text: str, mask: str) -> str:
        """`text` with `mask` in place of each secret of this form, even if several follow one word."""
        for _ in range(_AT_MOST):
            before, text = text, self.python.sub(rf"\1{mask}\2", text)
            if text == before:
                break
        return text


_AT_MOST = 16  # secrets behind one word: the values of a command

# The prefixes of vendors' tokens, from the vendors' documentation and from the lists of secret scanners.
_VENDORS = (
    "ghp_",
    "gho_",
    "ghu_",
    "ghs_",
    "ghr_",
    "github_pat_",
    "glpat-",
    "gldt-",
    "glrt-",
    "glptt-",
    "glsoat-",
    "glft-",
    "hvs.",
    "hvb.",
    "hvr.",
    "atlasv1.",
    "xoxa-",
    "xoxb-",
    "xoxe-",
    "xoxe.",
    "xoxo-",
    "xoxp-",
    "xoxr-",
    "xoxs-",
    "xapp-",
    "sk_live_",
    "sk_test_",
    "rk_live_",
    "rk_test_",
    "pk_live_",
    "whsec_",
    "AIza",
    "ya29.",
    "GOCSPX-",
    "npm_",
    "pypi-AgE",
    "rubygems_",
    "dckr_pat_",
    "dop_v1_",
    "doo_v1_",
    "dor_v1_",
    "SG.",
    "AGE-SECRET-KEY-",
    "shpat_",
    "shpss_",
    "shpca_",
    "shppa_",
    "sq0csp-",
    "sq0atp-",
    "EAAAE",
    "EAACEdEose0cBA",
    "lin_api_",
    "figd_",
    "nfp_",
    "ATATT3",
    "ATCTT3",
    "ATBB",
    "glsa_",
    "glc_",
    "NRAK-",
    "PMAK-",
    "sntrys_",
    "sntryu_",
    "hf_",
    "r8_",
    "sk-ant-",
    "sk-proj-",
    "gsk_",
    "xai-",
    "pat-na1-",
    "pat-eu1-",
    "rdme_",
    "ntn_",
    "CCIPAT_",
    "EZAK",
    "EZTK",
    "shippo_live_",
    "duffel_live_",
    "fio-u-",
    "cflt/",
    "dp.st.",
    "dp.pt.",
    "dp.ct.",
    "dp.sa.",
    "dp.scim.",
    "dp.audit.",
    "1//0",
    "pscale_pw_",
    "pscale_tkn_",
    "pscale_oauth_",
    "tfp_",
    "ops_eyJ",
    "LTAI",
    "AKIA",
    "ASIA",
    "ABIA",
    "ACCA",
    "AVNS_",
    "dt0c01.",
    "dt0s01.",
    "xkeysib-",
    "xsmtpsib-",
    "HRKU-",
    "sha256~",
    "pplx-",
    "NRII-",
    "NRJS-",
    "CFPAT-",
    "lsv2_",
    "FLWSECK",
)
_LONG = (
    "r8_",
    "hf_",
    "gsk_",
    "xai-",
    "ntn_",
    "1//0",
    "LTAI",
    "AKIA",
    "ASIA",
    "ABIA",
    "ACCA",
    "ATBB",
    "EAAAE",
    "EZAK",
    "EZTK",
    "tfp_",
    "glc_",
    "nfp_",
    "sha256~",
)
_SHORT = "|".join(re.escape(begin) for begin in _VENDORS if begin not in _LONG)
_PREFIXES = rf"{_SHORT}|(?:{'|'.join(map(re.escape, _LONG))})(?=[\w-]{{0,40}}\d)(?=[\w-]{{10}})"
_SEEMS_ONE = r"(?=[^\s()\"',;:=\[\]]{0,200}\d)(?=[^\s()\"',;:=\[\]]{0,200}[A-Za-z])[^\s()\"',;:=\[\]]{4,200}"
_HEADER = r"(?i)(\b(?:proxy-)?authorization[\"']?\s{0,80}[:=]\s{0,80}[\[{(\"']{0,3}"
_ARGUMENT = r"[ =]{0,3}[\"']?)(?!\[hidden\])[^\s\"']{1,400}()"

FORMS = (
    Form(
        "a private key",
        ("putty",),
        r"(PuTTY-User-Key-File(?:[^\n]{0,200}\n){1,12}?Private-Lines: \d{1,4}\n)(?!\[hidden\])(?:\S{1,200}(?:\n|$)){1,400}()",
    ),
    Form(
        "a user and a password in a URL",
        ("@",),
        r"(\b[A-Za-z][\w+.-]{1,20}://[^\s/@:\"'<>]{0,100}:)(?!\d{1,5}(?:[/\s]|,[\w.-]{1,80}:\d)|\[hidden\])[^\s\"'<>]{1,200}(@)",
    ),
    Form("a token in a URL", ("@",), r"(?i)(\bhttps?://)(?!\[hidden\])[^\s/@:\"'<>,]{1,200}(@)"),
    Form(
        "a user and a password before a host",
        ("@",),
        r"((?<![\w:./@-])(?!User:|Group:|Principal:|mailto:)[\w.-]{1,64}:)(?!\[hidden\])[^\s:@/,;=\"'()\[\]{}<>]{1,200}(@(?![0-9a-f]{1,8}(?![\w.:-]))[A-Za-z0-9][\w.-]*)",
    ),
    Form(
        "a user and a password of Oracle",
        ("jdbc:oracle", "sqlplus", "expdp", "impdp", "sqlldr"),
        r"(?i)(\b(?:jdbc:oracle:[a-z]{1,9}:|(?:sqlplus|expdp|impdp|sqlldr)\s[^\n]{0,200}?)[^\s/@]{1,80}/)(?!\[hidden\])[^\s\"']{1,200}((?=@))",
    ),
    Form(
        "a user and a password of Oracle",
        ("jdbc:oracle",),
        r"(?i)(\bjdbc:oracle:[^\n]{0,400}?\buser(?:name)?\s{0,3}[=:]\s{0,3}[\"']?[^\s/@\"']{1,80}/)(?!\[hidden\])[^\s\"',;]{1,200}()",
    ),
    Form(
        "a user and a password of Oracle",
        ("oracle", "ora-", "tns", "conn"),
        r"(?i)((?:\b(?:oracle|ORA-\d{2,5}|tns\w{0,9})\b[^\n]{0,200}?|\bconn(?:ect)?)\s[\"']?(?!kafka/|zookeeper/|HTTP/|host/|krbtgt/)[\w.$#-]{1,64}/)(?!\[hidden\])[^\s@/\"']{1,200}(@[\w/])",
    ),
    Form(  # the host of a principal (kafka/host@REALM) has none of these characters
        "a user and a password of Oracle",
        ("@",),
        r"((?<![\w./$#-])[\w.$#-]{1,64}/)(?!\[hidden\])(?=[\w.-]{0,200}[!#$%^&*+?~])[\w.!#$%^&*+?~-]{1,200}(@[A-Za-z]\w{0,40}(?![\w.@/-]))",
    ),
    Form(  # the service names that Oracle's own installer gives
        "a user and a password of Oracle",
        ("@orcl", "@xe", "pdb"),
        r"((?<![\w./$#-])[\w.$#-]{1,64}/)(?!\[hidden\])[^\s@/\"']{1,200}(@(?i:ORCL\w{0,9}|XE|XEPDB\d|FREEPDB\d|PDB\d{1,2}|ORCLPDB\d?)(?![\w.@/-]))",
    ),
    Form(  # no host's name mixes small letters, capitals behind them, and digits
        "a user and a password of Oracle",
        ("@",),
        r"((?<![\w./$#-])[\w.$#-]{1,64}/)(?!\[hidden\])(?=[A-Za-z]{0,40}\d)(?=\w{0,40}[a-z0-9][A-Z])\w{6,60}(@[A-Za-z]\w{0,40}(?![\w.@/-]))",
    ),
    Form(
        "a header of HTTP",
        ("authorization",),
        _HEADER + r"(?:Digest|AWS4-HMAC-SHA256|OAuth|Hawk|SCRAM-SHA-\d+) )(?!\[hidden\])[^\n]{1,4000}()",
    ),
    Form(
        "a header of HTTP",
        ("authorization",),
        _HEADER + r"(?!\[hidden\])[A-Za-z][\w-]{0,40} )(?!\[hidden\])[^\s\"',;})\]]{1,8000}()",
    ),
    Form(
        "a header of HTTP",
        ("basic ", "bearer ", "negotiate ", "ntlm "),
        r"(?i)(\b(?:Basic|Bearer|(?:Negotiate|NTLM)(?= [A-Za-z0-9+/=]{24})) )(?=[A-Za-z0-9+/=._~-]{0,15}[\d=+/]|[A-Za-z0-9+/=._~-]{16})[A-Za-z0-9+/=._~-]{8,}()",
    ),
    Form(
        "a header of HTTP",
        ("x-",),
        r"(?i)(\bX-(?:[\w-]{1,40}-)?(?:Token|Key|Signature|Secret|Auth|Password)[\"']?\s{0,9}[:=]\s{0,9}[\"']?)(?!\[hidden\])[^\s\"',;]{1,4000}()",
    ),
    Form(
        "cookies",
        ("cookie",),
        r"(?i)(\b(?:Set-)?Cookies?2?[\"']?\s{0,9}[:=]\s{0,9}[\[{(\"']{0,2})(?!\[hidden\])(?=[^\n]{0,400}=)[^\n\"']{1,8000}()",
    ),
    Form(
        "a signature in a URL",
        ("sig=", "signature=", "sig%3d"),
        r"(?i)((?:[?&;,\s]|\b)(?:X-Amz-Signature|X-Goog-Signature|sig|signature)(?:=|%3D))(?!\[hidden\])[^\s&,;\"']{6,4000}()",
    ),
    Form(
        "a key in a URL",
        ("key=", "?auth=", "&auth=", "?code=", "&code="),
        r"(?i)([?&](?:(?:api|access|sub|subscription)?[_-]?key|auth|code)=)(?!\[hidden\])[^\s&\"']{6,400}()",
    ),
    Form(
        "the credentials of a command",
        ("curl", "wget", "http", "etcdctl"),
        r"(?i)(\b(?:curl|wget|https?|etcdctl)\b[^\n]{0,400}?\s(?:-u|--user|--proxy-user|-U|-a|--auth)[ =]{0,2}[\"']?[^\s:\"'/-][^\s:\"'/]{0,80}:)(?!\[hidden\])[^\s\"']{1,200}()",
    ),
    Form(
        "the credentials of a command",
        ("oauth2-bearer", "-token", "-hmac", "-key "),
        r"(?i)(\s--?(?:oauth2-bearer|[\w-]{0,40}(?:token|hmac|secret-key|access-key))"
        + _ARGUMENT.replace(r"[ =]{0,3}", r"[ =]{1,3}").replace(r"(?!\[hidden\])", r"(?!\[hidden\]|-|null)"),
    ),
    Form(
        "the credentials of a command",
        ("mysql", "mariadb"),
        r"(\b(?:mysql|mariadb)\w{0,9}\b[^\n]{0,400}?\s-p[\"']?)(?!\[hidden\])[^\s\"'-][^\s\"']{0,200}()",
    ),
    Form(
        "the credentials of a command",
        (
            "sshpass",
            "mongo",
            "docker login",
            "podman login",
            "helm",
            "az login",
            "isql",
            "sqlcmd",
            "bcp",
            "usermod",
            "useradd",
        ),
        r"(\b(?:sshpass|mongo\w{0,8}|docker login|podman login|helm|az login|isql|sqlcmd|bcp|usermod|useradd)\b[^\n]{0,400}?\s-[pP]"
        + _ARGUMENT,
    ),
    Form(
        "the credentials of a command",
        ("redis-cli", "ldap", "openssl", "snmp"),
        r"(\b(?:redis-cli\b[^\n]{0,400}?\s-a|ldap\w{2,10}\b[^\n]{0,400}?\s-w|openssl\b[^\n]{0,400}?\s-[kK]|snmp\w{2,10}\b[^\n]{0,400}?\s-A)"
        + _ARGUMENT,
    ),
    Form("the credentials of a command", ("snmp",), r"(\bsnmp\w{2,10}\b[^\n]{0,400}?\s-X" + _ARGUMENT),
    Form(
        "the credentials of a command",
        ("htpasswd",),
        r"(\bhtpasswd\s-\w{0,5}b\w{0,5}\s[^\n]{0,200}?\S+\s\S+\s)(?!\[hidden\])\S{1,200}()",
    ),
    Form(
        "the credentials of a command",
        ("passwd ",),
        r"((?:COMMAND=\S{0,80}?|[$#>]\s{1,3})\bpasswd\s(?:--?[a-z]\S{0,40}\s){0,4}[\w.@][\w.@-]{0,63}\s)(?!\[hidden\])[^\s|&;<>-][^\s|&;]{0,200}()",
    ),
    Form(
        "the credentials of a command",
        ("passwd ",),
        rf"(\bpasswd\s(?:--?[a-z]\S{{0,40}}\s){{0,4}}(?!(?:for|of|in|on|from|file|entry|database|db)\s)[\w.@][\w.@-]{{0,63}}\s)(?![/-]){NOT_HIDDEN}{_SEEMS_ONE}()",
    ),
    Form(
        "the credentials of a command",
        ("echo ", "printf "),
        r"(\b(?:echo|printf)\s(?:-\w{1,4}\s|[\"']?%s(?:\\n)?[\"']?\s)?[\"']?(?:[\w.@-]{1,64}:)?)(?!\[hidden\])[^\s\"'|:]{1,200}([\"']?\s{0,9}\|\s{0,9}(?:sudo\s)?(?:[\w/]{0,40}(?:passwd|kinit|cryptsetup)\b|[^\n|]{0,200}?-(?:-pass(?:word|phrase)?-(?:stdin|fd)|S)\b))",
    ),
    Form(
        "the credentials of a command",
        ("passwd", "kinit"),
        r"(\b(?:(?:ch)?passwd|kinit)\b[^\n|;&<]{0,80}<<<\s{0,3}[\"']?(?:[\w.@-]{1,64}:)?)(?!\[hidden\])[^\s\"'|:]{1,200}()",
    ),
    Form(
        "the credentials of a command",
        ("chpasswd",),
        r"(\bchpasswd\b[^\n|;&<]{0,80}<<-?\s{0,3}[\"']?\w{1,20}[\"']?\n[\w.@-]{1,64}:)(?!\[hidden\])\S{1,200}()",
    ),
    Form("the credentials of a command", ("ssh-keygen",), r"(\bssh-keygen\b[^\n]{0,400}?\s-[NP]" + _ARGUMENT),
    Form(
        "the credentials of a command",
        ("net use",),
        r"(?i)(\bnet use\b[^\n]{0,200}?\s/u(?:ser)?:\S{1,80}\s)(?!/|\(|\[hidden\])\S{1,200}()",
    ),
    Form(
        "the credentials of a command",
        ("net use",),
        r"(?i)(\bnet use(?: [a-z]:)? \\{2,4}\S{1,200}\s)(?!/|\[hidden\])\S{1,200}(\s/u(?:ser)?:)",
    ),
    Form(
        "the credentials of a command",
        ("zip ", "mosquitto", "ipmitool"),
        r"(\b(?:un)?zip\s[^\n]{0,200}?-P[ =]?[\"']?|\b(?:mosquitto_\w{3,4}|ipmitool)\b[^\n]{0,400}?\s-P[ =]?[\"']?)(?!\[hidden\])[^\s\"']{1,400}()",
    ),
    Form(
        "the credentials of a command",
        ("7z", "rar "),
        r"(\b(?:7z[ar]?|(?:un)?rar)\s[^\n]{0,200}?\s-h?p[\"']?)(?!\[hidden\])[^\s\"']{1,400}()",
    ),
    Form(
        "the credentials of a command",
        ("smb", "rpcclient", "winexe", "net "),
        r"(\b(?:smb\w{2,9}|rpcclient|winexe|net (?:ads|rpc))\b[^\n]{0,400}?\s(?:-U|--user)[ =]{0,2}[\"']?[^\s%\"']{1,80}%)(?!\[hidden\])[^\s\"']{1,400}()",
    ),
    Form(
        "the credentials of a command",
        ("lftp", "cifs"),
        r"(\b(?:lftp\b[^\n]{0,200}?\s-u[ ]?[\"']?|cifs\b[^\n]{0,400}?\buser(?:name)?=)[^\s,%\"']{1,80}[,%])(?![a-z]{1,20}=|\[hidden\])[^\s\"',]{1,200}()",
    ),
    Form(
        "the credentials of a command",
        ("rdp", "cmdkey", "runas", "psexec"),
        r"(?i)(\b(?:\w?freerdp\d?|cmdkey|runas|psexec\d{0,2})\b[^\n]{0,400}?\s/p(?:ass(?:word)?)?[: ][\"']?)(?!\[hidden\])[^\s\"']{1,400}()",
    ),
    Form(
        "the data of a secret of Kubernetes",
        ("create secret",),
        r"(\bcreate secret\b[^\n]{0,800}?--from-literal[= ][\"']?[^\s=\"']{1,80}=)(?!\[hidden\])(?:[^\s\"']{1,400}|[\"'][^\"'\n]{1,400}[\"'])()",
    ),
    Form(
        "a secret for a store of secrets",
        ("put-parameter", "keyvault secret set", "gh secret set"),
        r"(\b(?:put-parameter\b(?=[^\n]{0,800}SecureString)|keyvault secret set\b|gh secret set\b)[^\n]{0,400}?\s(?:--value|--body|-b)"
        + _ARGUMENT,
    ),
    Form(
        "a secret for a store of secrets",
        ("vault kv", "secrets set"),
        r"(\b(?:vault kv (?:put|patch)|secrets set)\s[^\n]{0,400}?[\w.-]{1,80}=[\"']?)(?![@<$]|\[hidden\])[^\s\"']{1,400}()",
    ),
    Form("the credentials of a command", ("api-key store",), r"(\bapi-key store \S{1,64} )(?!-|\[hidden\])\S{1,200}()"),
    Form(
        "the credentials of a command",
        ("rabbitmqctl",),
        r"(\brabbitmqctl\b[^\n]{0,200}?\b(?:add_user|change_password|authenticate_user)\s\S{1,80}\s[\"']?)(?![(>|&;]|\[hidden\])[^\s\"']{1,200}()",
    ),
    Form(
        "the credentials of a command",
        ("assword",),
        r"(assword:?\s?[\"'][^\n]{0,60}?\bsend\s(?:--\s)?\\{0,4}[\"'])(?!\[hidden\])[^\s\"'\\]{1,200}()",
    ),
    Form(
        "the credentials of a command",
        ("securestring",),
        r"(?i)(\bConvertTo-SecureString\s(?:-String\s)?[\"'])(?!\[hidden\])[^\"'\n]{1,400}()",
    ),
    Form(
        "the credentials of a command",
        ("configure set",),
        r"(\bconfigure set \S{0,60}(?:secret|token)\S{0,60}\s[\"']?)(?!\[hidden\])[^\s\"']{1,400}()",
    ),
    Form(
        "the credentials of a command",
        ("set password for",),
        r"(?i)(\bset password for [^\n=]{1,140}=\s?(?:password\()?[\"'])(?!\[hidden\])[^\"'\n]{1,400}()",
    ),
    Form(
        "a login",
        ("auth ",),
        rf"(\bAUTH (?:PLAIN|LOGIN|XOAUTH2) ){NOT_HIDDEN}(?=[A-Za-z0-9+/]{{0,400}}[\d=+/])[A-Za-z0-9+/]{{8,4000}}={{0,2}}()",
    ),
    Form(
        "a login",
        ("requirepass", "masterauth"),
        rf"(?i)(\b(?:requirepass|masterauth)[\"']?\s[\"']?){NOT_HIDDEN}{_SEEMS_ONE}()",
    ),
    Form(
        "a login",
        ('"auth"',),
        r"(?i)(\"auth\"(?:,? \"[^\"\n]{1,64}\")?,? \")(?!\[hidden\])[^\"\n]{1,400}(\"(?!:|,? \"))",
    ),
    Form("a login", ("auth=(",), r"(\bauth=\([\"'][^\"'\n]{1,64}[\"'],\s?[\"'])(?!\[hidden\])[^\"'\n]{1,400}()"),
    Form("a login", ("login ",), rf"(\bLOGIN [\"']?[\w.@-]{{1,64}}[\"']? [\"']?){NOT_HIDDEN}{_SEEMS_ONE}()"),
    Form(
        "a login",
        ("> pass ", "c: pass "),
        r"((?:>|\bC:) PASS )(?!\[hidden\])[^\s\"']{1,200}()",
    ),
    Form(
        "a login",
        (".pgpass", ":543", ":6432:"),
        r"((?<![\w.:-])[\w.*-]{1,80}:(?:543\d|6432):[\w.*-]{1,64}:[\w.*-]{1,64}:)(?!\[hidden\])[^\s:]{1,200}(?!:)()",
    ),
    Form(
        "a community of SNMP",
        ("snmp",),
        r"(\b(?:snmp-server community|snmp\w{2,10}\b[^\n]{0,200}?\s-c)\s)(?!\[hidden\])[^\s\"']{1,200}()",
    ),
    Form(
        "the hash of a password",
        ("$",),
        r"((?<![\w$.])\$(?:[1-7y]|2[abxy]?|gy|apr1|argon2\w{0,2}|pbkdf2[\w-]{0,20})\$)(?!\[hidden\])[\w./+=,$-]{16,400}()",
    ),
    Form(
        "the hash of a password",
        ("{s", "{md5}", "{crypt}"),
        r"(?i)(\{(?:s?sha\d{0,3}|s?md5|crypt)\})(?!\[hidden\])[\w+/=.$-]{16,400}()",
    ),
    Form(
        "a code that is valid once",
        (" code",),
        r"(?i)(\b(?:one-time|verification|security|login|sms|[2m]fa) (?:pass)?code(?: for [\w.@-]{1,64})?(?: is|:| =)? )(?!\[hidden\])\d{4,9}(?![\w.])()",
    ),
    Form("a login", ("redis",), rf"(\bredis\b[^\n]{{0,200}}?\bAUTH (?:[\w.-]{{1,64}} )?){NOT_HIDDEN}{_SEEMS_ONE}()"),
    Form(
        "a login",
        ("monitorrole", "controlrole"),
        rf"(\b(?:monitor|control)Role\s{{1,9}}){NOT_HIDDEN}{_SEEMS_ONE}()",
    ),
    Form(
        "a login",
        ("usernamepassword", "passwordauthentication", "basicauth", "credential"),
        r"(?i)((?:UsernamePassword\w{0,20}|PasswordAuthentication|BasicAuth\w{0,20}|(?:Basic|User|Login|Plain|Sasl|Static)\w{0,20}Credentials?)[(\[][\"']?[\w.@-]{1,64}[\"']?,\s?[\"']?)(?!null|\[hidden\])[^\"'()\[\]\s,]{1,400}()",
    ),
    Form(
        "a login of a registry",
        ("auth",),
        r"([\"']auth\\{0,4}[\"']\s{0,9}:\s{0,9}\\{0,4}[\"'])(?!SCRAM-|\[hidden\])(?=[A-Za-z0-9+/]{0,400}[\d=+/])[A-Za-z0-9+/]{8,4000}={0,2}()",
    ),
    Form(
        "the id of a session",
        ("sessid", "sessionid"),
        r"(?i)(\b(?:JSESSIONID|PHPSESSID|ASP\.NET_SessionId)=)(?!\[hidden\])[^\s;,&\"']{4,400}()",
    ),
    Form(  # ZooKeeper's and Kafka's are numbers
        "the id of a session",
        ("session",),
        r"(?i)(\bsession[_-]?id=)(?!0x|\[hidden\])(?=[\w.+/-]{0,200}\d)(?=[\w.+/-]{0,200}[g-z])[\w.+/-]{8,400}()",
    ),
    Form(
        "a token in a sentence",
        ("token ",),
        rf"(?i)(\btoken [\"']?){NOT_HIDDEN}{_SEEMS_ONE}([\"']? (?:is (?:not valid|invalid)|(?:was |has been |is )?(?:rejected|revoked|refused)))",
    ),
    Form(
        "a key in a sentence",
        ("api key ",),
        rf"(?i)(\bapi key [\"']?){NOT_HIDDEN}(?=\S{{8}}){_SEEMS_ONE}([\"']? (?:is|was|has|does) )",
    ),
    Form(
        "a key in a sentence",
        (" key ",),
        r"(?i)(\b(?:encryption|decryption|signing|private|secret|master|shared|data|unseal|recovery) key(?: \d{1,2})?:?(?: is| was)?:? [\"']?)(?!\[hidden\])(?=[\w+/=-]{0,400}\d)[\w+/=-]{20,400}()",
    ),
    Form(
        "a private key",
        (
            "ls0tls1crudjti",
        ),  # "-----BEGIN " in base64; the letters behind it are those of a certificate, of a public key
        r"(LS0tLS1CRUdJTi(?!BDRVJUSUZJQ0FUR|BQVUJMSUM))(?!\[hidden\])[\w+/=-]{8,8000}()",
    ),
    Form(
        "a private key",
        ('"kty"',),
        r"(\"kty\"\s?:(?:[^\n\"]|\"(?!kty\")){0,2000}?\"(?:d|p|q|dp|dq|qi|k)\"\s?:\s?\")(?!\[hidden\])[\w+/=-]{20,8000}()",
    ),
    Form(
        "a private key",
        ('"kty"',),
        r"(\"(?:d|p|q|dp|dq|qi|k)\"\s?:\s?\")(?!\[hidden\])(?=[\w+/=-]{20}[^\n]{0,4000}?\"kty\")[\w+/=-]{20,2000}()",
    ),
    Form("a header of HTTP", ("tlrmtvntuaa",), r"(\bTlRMTVNTUAA)(?!\[hidden\])[\w+/=-]{8,8000}()"),
    Form(
        "a setting of JAAS",
        ("jaas.config",),
        r"(\bname=[\"']?[\w.-]{0,80}\bjaas\.config[\"']?,\s?(?:\w{1,40}=[^\s,]{0,80},\s?){0,3}value=[\"']?)(?![\w.]{0,200}LoginModule|null|\(|\[hidden\])[^\s\"',)]{1,400}()",
    ),
    Form(
        "the credentials of a command",
        ("identified by",),
        r"(?i)(\b(?:(?:create|alter) (?:user|role)|grant)\b[^\n]{0,200}?\bidentified by (?:password )?[\"']?)(?!\[hidden\])[^\s\"';,]{1,200}()",
    ),
    Form(
        "a login",
        ("login ", "credential", "creds", "user:pass", "/password", "user=", "username="),
        rf"(?i)(\b(?:login|logon|credentials?|creds|user(?:name)?[:/]pass(?:word)?|user(?:name|id)?(?==))[ :=]{{1,3}}[\w@-]{{1,64}}[:/]){NOT_HIDDEN}(?=[\w!#$%&*+=~^-]{{0,200}}\d)(?=[\w!#$%&*+=~^-]{{0,200}}[A-Za-z])[\w!#$%&*+=~^-]{{4,200}}(?![\w.@/])()",
    ),
    Form(
        "a login",
        ("login ", "log in ", "logon "),
        rf"(?i)(\b(?:log in|login|logon) (?:with|as) [\w.@-]{{1,64}} / ){NOT_HIDDEN}(?!SCRAM-|[a-z.-]{{1,60}}\d{{1,4}}(?![\w!]))(?=\S{{0,200}}[A-Za-z]){_SEEMS_ONE}()",
    ),
    Form("a login", ("machine ",), r"(\bmachine \S{1,100} login \S{1,100} password )(?!\[hidden\])\S{1,200}()"),
    Form(  # of Erlang's and Elixir's clients
        "a login",
        ("{plain", "{:plain", "scram_sha_"),
        r"(\{:?(?:plain|scram_sha_\d{3}),\s?(?:<<)?\"[^\"\n]{1,64}\"(?:>>)?,\s?(?:<<)?\")(?!\[hidden\])[^\"\n]{1,400}()",
    ),
    Form(
        "a secret of a TLS session",
        ("client_random ", "_traffic_secret", "exporter_secret "),
        r"(\b(?:CLIENT_RANDOM|\w{0,20}_TRAFFIC_SECRET(?:_\d{1,9})?|(?:EARLY_)?EXPORTER_SECRET) [0-9a-f]{64} )[0-9a-f]{32,200}()",
    ),
    Form(  # of PagerDuty; RabbitMQ's are words
        "a token of a vendor",
        ("routing_key", "integration_key"),
        r"(\b(?:routing|integration)_key\\{0,4}[\"']?\s?[:=]\s?\\{0,4}[\"']?)[0-9a-f]{32}(?!\w)()",
    ),
    Form(
        "a login of SASL PLAIN",
        ("\\0", "\\x00", "\\u0000"),
        r"((?:\\(?:0|x00|u0000)|(?i:\bauth\w{0,12}|\bplain|\bsasl)[:=]?\s)[\w.@-]{1,64}\\{1,2}(?:0|x00|u0000))(?!\[hidden\])[^\s\\\"']{1,200}()",
    ),
    Form(
        "a proof of SCRAM", (",p=",), r"((?<![\w])[cn]=[^\s,]{1,80},r=[^\s,]{1,300},p=)(?!\[hidden\])[^\s,)]{1,400}()"
    ),
    Form(
        "a token of a vendor",
        tuple({begin.lower()[:6] for begin in _VENDORS}),
        rf"((?<![A-Za-z0-9_])(?:{_PREFIXES})){NOT_HIDDEN}[\w.-]{{4,400}}()",
    ),
    Form(
        "a token of a vendor",
        ("dapi", "key-", "pul-", "sk-", "vault"),
        r"((?<![A-Za-z0-9_.-])(?:dapi(?=[0-9a-f]{30})|key-(?=[0-9a-f]{32}(?!\w))|pul-(?=[0-9A-Za-z]{0,40}\d)(?=[0-9A-Za-z]{20})|sk-(?=[\w-]{20})|s\.(?=[A-Za-z0-9]{24}(?!\w))))(?!\[hidden\])[\w-]{6,400}()",
    ),
    Form("a token of a vendor", (":aa",), r"((?:(?<![\w:])|(?<=\bbot))\d{8,10}:AA)[\w-]{30,40}(?!\w)()"),
    Form(
        "a token of a vendor",
        ("vault", "mailgun"),
        r"((?<![A-Za-z0-9_.-])(?:s\.|key-)(?=[A-Za-z0-9]{0,40}\d))(?!\[hidden\])[A-Za-z0-9]{24,40}()",
    ),
    Form(
        "a webhook",
        ("slack.com", "webhook"),
        r"(?i)(\bhooks\.slack\.com/(?:services|workflows|triggers)/[^\s/]{1,40}/[^\s/]{1,40}/|discord(?:app)?\.com/api/webhooks/\d{1,30}/|/IncomingWebhook/)(?!\[hidden\])[^\s\"']{1,300}()",
    ),
    Form(
        "a user in a line of JAAS",
        ("user_",),
        r"(\buser_(?!agent|id\b|name\b)[\w.@-]{1,80}\s{0,9}=\s{0,9}\\{0,4}[\"'])(?!\[hidden\])[^\"'\\\n]{1,400}()",
    ),
    Form("a token of JSON", ("eyj",), r"(\b)eyJ[\w-]{8,4000}+\.[\w-]{4,4000}+\.?[\w-]*()"),
    Form(
        "a user and a password of ZooKeeper",
        ("digest", "auth:"),
        r"(?i)(\b(?:digest[\s',:]{1,4}|(?:addauth|setAcl \S{1,300}) \w{0,9}:)[\w.-]{1,64}:)(?!\[hidden\])[^\s',:)]{4,}()",
    ),
    # The users (SCRAM) in a transaction log of ZooKeeper, as text and in hexadecimal.
    Form(
        "the credentials of a user in ZooKeeper",
        ("config/users",),
        r"(/config/users/[^,\s]{1,250},)(?!\[hidden\])[^\s,]{4,}()",
    ),
    Form(
        "the credentials of a user in ZooKeeper",
        ("2f636f6e6669672f7573",),
        r"(2f636f6e6669672f75736572732f)[0-9a-f]{8}[0-9a-f]*()",
    ),
    Form("a password in an object", ("password(",), r"(\bPassword\()(?!\[hidden\])[^()\s]{1,400}(\))"),
    Form(
        "a password in a sentence",
        ("password", "secret", "token", "pass", "credential", "pwd"),
        rf"(?i)(\b(?:using|with|got|tried|sent|entered) [\"']?){NOT_HIDDEN}{_SEEMS_ONE}([\"']? as (?:the |its |a |my )?(?:pass|secret|token|credential|pwd))",
    ),
    Form(
        "a password in a sentence",
        ("expected",),
        r"(?i)(\bpass(?:word|phrase)\b[^\n]{0,60}?\bexpected:? [\"'])(?!\[hidden\])[^\"'\n]{1,200}()",
    ),
    Form(
        "a password in a sentence",
        ("expected",),
        r"(?i)((?:\bpass(?:word|phrase)\b[^\n]{0,60}?\bexpected:?\b|\bexpected (?:the )?pass(?:word|phrase)\b)[^\n]{0,220}?\b(?:got|was|actual):? [\"'])(?!\[hidden\])[^\"'\n]{1,200}()",
    ),
    Form(
        "a password in a sentence",
        ("invalid value",),
        r"(?i)(\binvalid value \[hidden\] )(?!\[hidden\]|for\b)[^\n]{1,400}?( for configuration )",
    ),
    Form(
        "a password in a sentence",
        ("old=", "new="),
        rf"(\b(?:old|new)=){NOT_HIDDEN}{_SEEMS_ONE}( (?:password|secret)\b)",
    ),
    Form(
        "a password in a sentence",
        ("password", "passphrase", "secret", "pwd"),
        rf"(?i)((?<!\S)[\"']?){NOT_HIDDEN}{_SEEMS_ONE}([\"']? (?:is|was) (?:the |my |your |a |its |not a valid |an invalid )(?:\w{{1,20}} )?(?:pass(?:word|phrase)|secret|pwd)\b)",
    ),
    Form(
        "a password in a sentence",
        ("for input string",),
        r"(?i)(For input string: \")(?!\[hidden\])[^\"\n]{1,400}(\" while parsing [\w.-]{0,60}(?:password|secret|token)\b)",
    ),
    Form(
        "a password in a sentence",
        ("tried ", "wrong password"),
        rf"(?i)(password authentication failed [^()\n]{{0,120}}\(tried |\bwith (?=[^\n]{{1,200}} refused: wrong password)){NOT_HIDDEN}{_SEEMS_ONE}()",
    ),
    Form(
        "a code that is valid once",
        ("code",),
        rf"(?i)(\b(?:one-time|authorization|device) code:? (?:is )?){NOT_HIDDEN}{_SEEMS_ONE}()",
    ),
    Form(
        "a user and a password before a host",
        ("@",),
        r"((?<![:\w/])//[^\s/@:\"'<>]{1,100}:)(?!\d{1,5}/|\[hidden\])[^\s/@\"'<>]{1,200}(@[\w.-])",
    ),
    Form(
        "a user and a password in a URL",
        ("://",),
        r"(\b[A-Za-z][\w+.-]{1,20}://[^\s/@:\"'<>]{1,100}:)(?!\d{1,5}[\s,/]|\[hidden\])[^\s/@\"'<>]{1,100}(?: [^\s/@:\"'<>]{1,40}){1,3}(@[\w.-]{1,200}(?:[:/]|$))",
    ),
    Form(  # a host's name has no capitals
        "a login",
        ("login ", "logon "),
        rf"((?<![\w.-])(?i:login|logon) (?!(?i:module|manager|context|class|callback|handler|session|attempt|thread|id|for|as|to|of|with|from|via|by|on|at|in)\b)[\w.@-]{{1,64}} ){NOT_HIDDEN}(?=\S{{0,60}}[a-z])(?=\S{{0,60}}[A-Z])(?=\S{{0,60}}\d)[^\s()\"',;:=/\[\]]{{6,200}}(?![^\s\"'])()",
    ),
    Form(
        "a password in a sentence",
        ("password, ", "passphrase, ", "secret, "),
        rf"(?i)(\b(?:the|a|his|her|its|my|your|their|this) (?:password|passphrase|secret), [\"']?){NOT_HIDDEN}(?!sha-?\d|md5|base64|aes|scram|pkcs){_SEEMS_ONE}([\"']?,)",
    ),
    Form(
        "a user and a password of ZooKeeper",
        ("super:",),
        r"((?<![\w.-])super:)(?!\[hidden\])(?:[A-Za-z0-9+/]{27}=|[^\s\"',;=]{1,200}={0,2}(?=[^\n]{0,200}superDigest))()",
    ),
    Form(
        "a keystore in base64",
        ("keystore", "truststore"),
        r"(?i)(\b(?:key|trust)store\.(?:p12|pfx|jks)[\"']?\s?[:=]\s?[\"']?)(?=MII|/u3\+)[A-Za-z0-9+/=]{12,}()",
    ),
    Form(
        "a user and a password",
        ("credential",),
        rf"(?i)(\bcredentials: [\w.@-]{{1,64}} / ){NOT_HIDDEN}{_SEEMS_ONE}()",
    ),
)
