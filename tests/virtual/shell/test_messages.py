"""The messages and exit status of failing commands, word for word as on Android."""

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.virtual.shell.conftest import Shells

SHELL = "/system/bin/sh: "
GONE = "No such file or directory"

FAILURES = [
    # the shell itself
    ("foo", f"{SHELL}foo: inaccessible or not found", 127),
    ("./foo", f"{SHELL}./foo: inaccessible or not found", 127),
    ("touch x; ./x", f"{SHELL}./x: can't execute: Permission denied", 126),
    ("mkdir d; ./d", f"{SHELL}./d: can't execute: Is a directory", 126),
    ("echo a > /data/x", f"{SHELL}can't create /data/x: Permission denied", 1),
    ("echo a > /system/x", f"{SHELL}can't create /system/x: Read-only file system", 1),
    ("cat < nope", f"{SHELL}can't open nope: {GONE}", 1),
    ("cd nope", f"{SHELL}cd: nope: {GONE}", 2),
    ("touch f; cd f", f"{SHELL}cd: f: Not a directory", 2),
    ("cd /data/data", "", 0),
    ("ls /data/data", "ls: /data/data: Permission denied", 1),
    ("echo (", f"{SHELL}syntax error: unexpected '('", 1),
    ("fi", f"{SHELL}syntax error: unexpected 'fi'", 1),
    ("if true; then", f"{SHELL}syntax error: unmatched 'if'", 1),
    ("echo 'a", f"{SHELL}no closing quote", 1),
    ("echo ${x!}", f"{SHELL}bad substitution", 1),
    ("echo ${x:?}", f"{SHELL}x: parameter null or not set", 1),
    ("echo ${x?gone wrong}", f"{SHELL}x: gone wrong", 1),
    ("set -u; echo $x", f"{SHELL}x: parameter not set", 1),
    ("echo $((1/0))", f"{SHELL}1/0: zero divisor", 1),
    ("echo $((1+))", f"{SHELL}1+: unexpected end of expression", 1),
    ("echo 'foo' > s; sh s", "s[1]: foo: inaccessible or not found", 127),
    ("printf '\\n\\ncd /nope\\n' > s; sh s", f"s[3]: cd: /nope: {GONE}", 2),
    ("f() { f; }; f", "Segmentation fault", 139),
    ("sh nope", f"{SHELL}can't open nope: {GONE}", 127),
    ("[ a", f"{SHELL}[: missing ]", 2),
    ("kill 99999", f"{SHELL}kill: 99999: No such process", 1),
    ("kill 1", f"{SHELL}kill: 1: Operation not permitted", 1),
    # missing files
    *(
        (f"{command} nope", f"{command.split()[0]}: nope: {GONE}", status)
        for status, commands in {
            1: ["ls", "cat", "rm", "head", "tail", "md5sum", "wc", "du", "chmod 644"],
            2: ["grep x", "sort"],
        }.items()
        for command in commands
    ),
    ("touch -r nope f", f"touch: 'nope': {GONE}", 1),
    ("stat nope", f"stat: 'nope': {GONE}", 1),
    ("find nope", f"find: 'nope': {GONE}", 1),
    ("df nope", f"df: 'nope': {GONE}", 1),
    ("rmdir nope", f"rmdir: 'nope': {GONE}", 1),
    ("mkdir x/y", f"mkdir: 'x/y': {GONE}", 1),
    ("touch x/y", f"touch: 'x/y': {GONE}", 1),
    ("cp nope x", f"cp: bad 'nope': {GONE}", 1),
    ("mv nope x", f"mv: bad 'nope': {GONE}", 1),
    ("touch f; cp f x/y", f"cp: x/y: {GONE}", 1),
    ("rm -f nope", "", 0),
    # existing files of the wrong kind
    ("mkdir d; mkdir d", "mkdir: 'd': File exists", 1),
    ("mkdir d; cat d", "cat: d: Is a directory", 1),
    ("mkdir d; rm d", "rm: d: Is a directory", 1),
    ("mkdir -p d/e; rmdir d", "rmdir: 'd': Directory not empty", 1),
    ("mkdir d; cp d e", "cp: Skipped dir 'd': Is a directory", 1),
    ("mkdir d; grep x d", "grep: d: Is a directory", 2),
    ("touch f; ls f/x", "ls: f/x: Not a directory", 1),
    # permissions
    ("mkdir /foo", "mkdir: '/foo': Read-only file system", 1),
    ("touch /system/bin/x", "touch: '/system/bin/x': Read-only file system", 1),
    ("rm /system/bin/sh", "rm: /system/bin/sh: Read-only file system", 1),
    ("cat /data/data/x", "cat: /data/data/x: No such file or directory", 1),
    ("ls /data", "ls: /data: Permission denied", 1),
    ("mkdir /data/x", "mkdir: '/data/x': Permission denied", 1),
    ("chown root f", f"chown: f: {GONE}", 1),
    ("touch f; chown root f", "chown: f: Operation not permitted", 1),
    ("touch f; chmod 0 f; cat f", "cat: f: Permission denied", 1),
    # usage
    ("ls -y", "ls: Unknown option 'y' (see \"ls --help\")", 1),
    ("ls --nope", "ls: Unknown option '--nope' (see \"ls --help\")", 1),
    ("rm", 'rm: Needs 1 argument (see "rm --help")', 1),
    ("mv a", 'mv: Needs 2 arguments (see "mv --help")', 1),
    ("mkdir", 'mkdir: Needs 1 argument (see "mkdir --help")', 1),
    ("grep", "grep: no REGEX", 2),
    ("touch f; chmod 999 f", "chmod: bad mode '999'", 1),
    ("sleep x", "sleep: Not a number 'x'", 1),
    ("touch f; su 0 chown nobodyx f", "chown: bad user 'nobodyx'", 1),
    ("toybox x", 'toybox: Unknown command x (see "toybox --help")', 127),
    ("timeout 0.02 sleep 3", "", 124),
    ("which nope", "", 1),
    ("pidof nope", "", 1),
    ("pgrep nope", "", 1),
    ("xargs nope </dev/null", f"xargs: exec nope: {GONE}", 127),
    # identity
    ("su -c id", "su: invalid uid/gid '-c'", 1),
    ("su nosuch", "su: invalid uid/gid 'nosuch'", 1),
    ("date 010203042020", "date: cannot set date: Operation not permitted", 1),
    ("su 0 date bogus", "date: bad date bogus", 1),
    ("python", f"{SHELL}python: inaccessible or not found", 127),
]


@pytest.mark.parametrize(("script", "message", "status"), FAILURES, ids=[f[0] for f in FAILURES])
def test_a_failure_is_androids(script: str, message: str, status: int, sh: "Shells") -> None:
    ended = sh(script)
    assert (ended.err, ended.status) == (f"{message}\n" if message else "", status)
