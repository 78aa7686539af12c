"""The private words of a capture: users, hosts, secrets and top-level folders, found where nsys records them."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import pairwise

from nsysql.privacy.rules import COMMAND, ENVIRONMENT, FOLDER, HOST, PATH, USER

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
        found = ASSIGNED.fullmatch(text)
        name, value = (found[1], found[3]) if found else ("", text)
        self.tops.update(TOP.findall(value))
        if SECRETS.search(name) and len(value) >= LEAST_SECRET and value.lower() not in COMMON and "/" not in value[:1]:
            self.secrets.add(value)
        elif USERS.fullmatch(name):
            self.learn(USER, value)
        elif HOSTS.fullmatch(name):
            self.learn(HOST, value)


def _names(texts: Iterable[str]) -> set[str]:
    """Those of the texts that are names to search for everywhere."""
    return {
        t for t in texts if len(t) >= LEAST and t.lower() not in COMMON and re.fullmatch(r"[\w.@-]*[^\W\d_][\w.@-]*", t)
    }
