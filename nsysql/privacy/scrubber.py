"""Replace private data in a text.

Replacements of paths, users and hosts are numbered, so that distinct texts stay distinct, and grouping and counting by
text gives the same results. Function names are changed least, labels little, messages most.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise

from nsysql.privacy.paths import Paths
from nsysql.privacy.rules import (
    COMMAND,
    ENTIRE,
    ENVIRONMENT,
    FOLDER,
    FUNCTIONS,
    HOST,
    LABELS,
    LINE,
    MESSAGES,
    PATH,
    USER,
)

# Names that identify no person or machine, and are frequent in other texts.
COMMON = frozenset(
    """
    root admin administrator user users username test guest nobody daemon public default shared share home all local
    localhost localdomain unknown none null true false ubuntu debian centos fedora ec2-user vagrant runner jenkins
    docker container python python3 cuda nvidia nsight nsys gpu cpu main train model data work build system desktop
    linux windows host server node
    """.split()  # noqa: SIM905
)
TOPS = frozenset(  # top-level folders; a label with slashes that begins with another word may be a model layer
    """
    bin boot dev etc gpfs home home1 home2 lib lib32 lib64 lustre media mnt nfs opt proc root sbin scratch snap srv
    sys tmp usr Users var Volumes
    """.split()  # noqa: SIM905
)
USERS = re.compile(r"USER|LOGNAME|USERNAME|SUDO_USER|SLURM_JOB_USER|PBS_O_LOGNAME")
HOSTS = re.compile(r"HOST|HOSTNAME|COMPUTERNAME|SLURMD_NODENAME|SLURM_SUBMIT_HOST|PBS_O_HOST|NODENAME|NODE_NAME")
SECRETS = re.compile(r"TOKEN|SECRET|PASSW(OR)?D|PASSPHRASE|_PASS\b|_?KEY\b|CREDENTIAL|AUTH", re.IGNORECASE)
HOMES = re.compile(r"""(?:/home\d?/|/Users/|\b[A-Za-z]:[\\/]+Users[\\/]+)([^/\\\s"':;,<>]+)""")
TOP = re.compile(r"(?:^|:)/+([^/\s:]+)/")
ROOTED = re.compile(r"""(?<![\w.\\/-])(?:~|\.{1,2}|[A-Za-z]:)?(?:[\\/]++[^\s\\/:;,'"<>|=]++){2,}+""")
ASSIGNED = re.compile(r"""\s*-{0,2}([A-Za-z_][\w.-]*)=(["']?)(.*)\2\s*""", re.DOTALL)
LEAST = 3  # characters of a name that is searched for everywhere
LEAST_SECRET = 6


@dataclass
class PrivateWords:
    """The private words of a capture, by kind; filled by `learn`."""

    users: set[str] = field(default_factory=set)
    hosts: set[str] = field(default_factory=set)
    secrets: set[str] = field(default_factory=set)
    tops: set[str] = field(default_factory=lambda: set(TOPS))
    pairs: set[tuple[str, str]] = field(default_factory=set)  # consecutive names in a path

    def learn(self, kind: str | None, text: str) -> None:
        """Collect the private words of a text of a private kind, and the users whose home folders any text names."""
        if "home" in text or "Users" in text:
            self.users.update(_names(HOMES.findall(text)))
        if kind in (PATH, FOLDER, ENVIRONMENT, COMMAND):
            for path in ROOTED.findall(text):
                self.pairs.update(pairwise(filter(None, re.split(r"[\\/]+", path))))
        if kind == USER:
            self.users.update(_names([text, *text.split("\\")]))
        elif kind == HOST:
            self.hosts.update(_names([text, text.partition(".")[0]]))
        elif kind in (PATH, FOLDER):
            self.tops.update(TOP.findall(text))
        elif kind in (ENVIRONMENT, COMMAND):
            self._learn_assignment(text)

    def _learn_assignment(self, text: str) -> None:
        """Collect the private words of a variable or a command line option."""
        match = ASSIGNED.fullmatch(text)
        name, value = (match[1], match[3]) if match else ("", text)
        self.tops.update(TOP.findall(value))
        if SECRETS.search(name) and len(value) >= LEAST_SECRET and value.lower() not in COMMON and "/" not in value[:1]:
            self.secrets.add(value)
        elif USERS.fullmatch(name):
            self.learn(USER, value)
        elif HOSTS.fullmatch(name):
            self.learn(HOST, value)


def _names(texts: Iterable[str]) -> set[str]:
    """Keep the texts that are names to search for everywhere."""
    return {
        t for t in texts if len(t) >= LEAST and t.lower() not in COMMON and re.fullmatch(r"[\w.@-]*[^\W\d_][\w.@-]*", t)
    }


Change = tuple[str, Callable[[str], str]]  # the kind of what is replaced, and the function that does it

REDACTED = "<redacted>"
ADDRESS, SECRET = "address", "secret"
URL = re.compile(r"""\b(?!(?i:file):)[A-Za-z][A-Za-z0-9+.-]{1,20}://[^\s'"<>]+""")
MAIL = re.compile(r"(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63})+")
OCTET = r"(?:25[0-5]|2[0-4]\d|1?\d?\d)"
IP4 = re.compile(rf"(?<![\w./-])(?:{OCTET}\.){{3}}{OCTET}(?![.-]?\w)")
IP6_OR_MAC = re.compile(
    r"(?<![\w:])(?:(?:[0-9A-Fa-f]{1,4}:){5,7}|(?=[0-9A-Fa-f:]{1,35}::)(?:[0-9A-Fa-f]{0,4}:){3,7})"
    r"[0-9A-Fa-f]{1,4}(?![\w:])"
)
BLOCK = re.compile(rf"(?:(?:^|(?<=\0)){LINE}(?:[\n\0]+|\Z)){{3,}}", re.MULTILINE)  # lines of an environment
VALUE = re.compile(r"([A-Z_][A-Z0-9_]*=)[^\n\0]+")  # of a variable in such a line
NAMED_SECRET = re.compile(  # a secret recognized by its name: HF_TOKEN=..., --api-key ...
    r"(\b[A-Z][A-Z0-9]{0,40}_[A-Z0-9_]{0,40}=|(?<!\w)--?[\w-]{0,40}(?:password|token|secret|key)(?:=|\s+))(?!<)\S{6,}"
)
SPELLED_SECRET = re.compile(  # password: ..., "api_key": "...", Bearer ...
    r"""((?<![A-Za-z0-9])(?:passw(?:or)?d|passphrase|secret|api[_-]?key|access[_-]?key|(?:auth|access)[_-]?token)"""
    r"""["']?\s{0,3}[=:]\s{0,3}["']?|\bbearer\s{1,3}(?=\S{0,99}\d))(?!<)[^\s"',;}]{6,}""",
    re.IGNORECASE,
)
SECRET_NAME = re.compile(r"TOKEN|SECRET|PASS|KEY|CREDENTIAL|AUTH|^-")
WORD = r"(?<![^\W_])(?:{})(?![^\W_])"  # as a whole word


class Scrubber:
    """Replaces private data in the texts of one capture."""

    def __init__(self, words: PrivateWords) -> None:
        self._numbers: dict[str, dict[str, int]] = {"dir": {}, "user": {}, "host": {}, "address": {}}
        secrets: list[Change] = [(SECRET, partial(_any_of(words.secrets, "(?:{})").sub, REDACTED))]
        names = [
            self._each(USER, "user", _any_of(words.users, WORD)),
            self._each(HOST, "host", _any_of(words.hosts, WORD)),
        ]
        named: list[Change] = [
            (ENVIRONMENT, partial(BLOCK.sub, lambda lines: VALUE.sub(rf"\1{REDACTED}", lines[0]))),
            (SECRET, partial(NAMED_SECRET.sub, lambda m: m[1] + REDACTED if SECRET_NAME.search(m[1]) else m[0])),
            (SECRET, partial(SPELLED_SECRET.sub, rf"\1{REDACTED}")),
        ]
        addresses = [self._each(ADDRESS, "address", pattern) for pattern in (URL, IP4, IP6_OR_MAC)]
        mail = self._each(ADDRESS, "address", MAIL)
        paths = Paths(partial(self._number, "dir"), words.tops, words.pairs)
        within: dict[str, Change] = {
            kind: (PATH, partial(paths.within, kind)) for kind in (FUNCTIONS, LABELS, MESSAGES)
        }
        self._changes: dict[str, list[Change]] = {
            FUNCTIONS: [*secrets, within[FUNCTIONS]],
            LABELS: [*secrets, *named, *addresses, within[LABELS], *names],
            MESSAGES: [*secrets, *named, *addresses, mail, within[MESSAGES], *names],
            PATH: [(PATH, paths.whole), *secrets, *names],
            FOLDER: [(PATH, paths.folder), *secrets, *names],
            USER: [(USER, partial(self._number, "user"))],
            HOST: [(HOST, partial(self._number, "host"))],
        }

    def scrub(self, kind: str, text: str) -> tuple[str, tuple[str, ...]]:
        """Return the text without private data, and the kinds of what was replaced."""
        if not text or re.fullmatch(r"<[a-z]+\d*>", text):  # a placeholder
            return text, ()
        if kind in ENTIRE:  # all of it, except the name of a variable
            named = re.match(r"[A-Za-z_][^=\s]*=", text) if kind == ENVIRONMENT and "\n" not in text else None
            clean = f'{named[0]}"{REDACTED}"' if named else REDACTED
            return clean, (kind,) if clean != text else ()
        kinds = []
        for what, change in self._changes[kind]:
            clean = change(text)
            if clean != text:
                kinds.append(what)
            text = clean
        return text, tuple(dict.fromkeys(kinds))

    def _each(self, kind: str, prefix: str, pattern: re.Pattern[str]) -> Change:
        """Return a change that replaces each match of the pattern by a numbered name."""
        return kind, partial(pattern.sub, lambda match: self._number(prefix, match[0]))

    def _number(self, prefix: str, text: str) -> str:
        known = self._numbers[prefix]
        return f"<{prefix}{known.setdefault(text, len(known) + 1)}>"


def _any_of(words: Iterable[str], form: str) -> re.Pattern[str]:
    """Return a pattern for any of the words, the longest first; without words it matches nothing."""
    longest = sorted(words, key=lambda word: (-len(word), word))
    return re.compile(form.format("|".join(map(re.escape, longest))) if longest else r"(?!)", re.IGNORECASE)
