"""Where commands succeed differently than on other systems: formats, users, the clock, mksh."""

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.virtual.shell.conftest import Shells

OUTPUTS = {
    # files
    "printf abc > f; mkdir d; ls -l": (
        "total 8\n"
        "drwxrwxrwx 2 shell shell 4096 2026-11-20 12:00 d\n"
        "-rw-rw-rw- 1 shell shell    3 2026-11-20 12:00 f\n"
    ),
    "ls -ld /data/local/tmp /sdcard": (
        "drwxrwx--x 2 shell shell 4096 2026-11-20 12:00 /data/local/tmp\n"
        "lrwxrwxrwx 1 root  root    21 2026-11-20 12:00 /sdcard -> /storage/self/primary\n"
    ),
    "ls -l /dev/null": "crw-rw-rw- 1 root root 1,   3 2026-11-20 12:00 /dev/null\n",
    "ls -ld /sdcard/": "drwxrws--- 15 u0_a42 media_rw 4096 2026-11-20 12:00 /sdcard/\n",
    "touch .h a b; ls": "a\nb\n",
    "touch .h a; ls -a": ".\n..\n.h\na\n",
    "touch .h a; ls -A": ".h\na\n",
    "mkdir d; touch d/f g; ls g d": "g\n\nd:\nf\n",
    "mkdir -p a/b; touch a/b/f; ls -R a": "a:\nb\n\na/b:\nf\n",
    "mkdir d; touch f; chmod +x f; ln -s f l; ls -F": "d/\nf*\nl@\n",
    "touch a b c; ls -r": "c\nb\na\n",
    "touch a; touch -d 2020-01-01T00:00:00 b; ls -t": "a\nb\n",
    "mkdir d; touch -d 2026-11-20T12:00:01 d/f; ls d -ll -au | grep f": (  # as in AndroidWorld
        "-rw-rw-rw- 1 shell shell    0 2026-11-20 12:00:01.000000000 +0000 f\n"
    ),
    "touch a; touch -d 2020-01-01T00:00:00 b; ls -tu": "a\nb\n",
    "echo x > /sdcard/f; ls -l /sdcard/f": (
        "-rw-rw---- 1 u0_a42 media_rw 2 2026-11-20 12:00 /sdcard/f\n"
    ),
    "cd /sdcard/Download; pwd; pwd -P; touch f; ls /storage/emulated/0/Download": (
        "/sdcard/Download\n/storage/emulated/0/Download\nf\n"
    ),
    "printf abc > f; stat f | grep -v Device": (
        "  File: f\n"
        "  Size: 3\t Blocks: 8\t IO Blocks: 512\t regular file\n"
        "Access: (0666/-rw-rw-rw-)\tUid: ( 2000/   shell)\tGid: ( 2000/   shell)\n"
        "Access: 2026-11-20 12:00:00.000000000 +0000\n"
        "Modify: 2026-11-20 12:00:00.000000000 +0000\n"
        "Change: 2026-11-20 12:00:00.000000000 +0000\n"
    ),
    "printf abc > f; stat -c '%n %s %a %U %F' f": "f 3 666 shell regular file\n",
    "stat -c '%f %A' /dev/null": "21b6 crw-rw-rw-\n",
    "printf abc > f; md5sum f; wc f": "900150983cd24fb0d6963f7d28e17f72  f\n0 1 3 f\n",
    "df | head -n 1": "Filesystem        1K-blocks     Used Available Use% Mounted on\n",
    "df / | cut -c17-": (
        "  1K-blocks     Used Available Use% Mounted on\n    4194304  4194304         0 100% /\n"
    ),
    "df /sdcard | cut -d' ' -f1": "Filesystem\n/dev/fuse\n",
    "mkdir d; printf abc > d/f; du -s d": "8\td\n",
    "ls /system/bin/sqlite3 /system/bin/sh": "/system/bin/sh\n/system/bin/sqlite3\n",
    "mkdir d; echo x > d/f; ln -s d l; grep -r x l; find l; find l/ -name f": "l/f:x\nl\nl/f\n",
    "mkdir -p d/e; touch d/e/f; find d -not -name e -print0 | tr '\\0' ,": "d,d/e/f,",
    "mkdir -p d/e; echo x > d/e/f; du -b d; chmod -R 700 d; stat -c %a d/e/f; rm -rv d": (
        "2\td/e\n2\td\n700\nrm 'd/e/f'\nrm 'd/e'\nrm 'd'\n"
    ),
    # users
    "id": (
        "uid=2000(shell) gid=2000(shell) groups=2000(shell),1004(input),1007(log),1011(adb),"
        "1015(sdcard_rw),1028(sdcard_r),1078(ext_data_rw),1079(ext_obb_rw),3001(net_bt_admin),"
        "3002(net_bt),3003(inet),3006(net_bw_stats),3009(readproc),3011(uhid),3012(readtracefs) "
        "context=u:r:shell:s0\n"
    ),
    "id -u; id -un; whoami": "2000\nshell\nshell\n",
    "su 0 id -u; su root id -un; su 10100 whoami": "0\nroot\nu0_a100\n",
    "echo whoami | su": "root\n",
    "su 0 sh -c 'echo x > /data/f; ls -l /data/f'": (
        "-rw-rw-rw- 1 root root 2 2026-11-20 12:00 /data/f\n"
    ),
    # the clock
    "date": "Fri Nov 20 12:00:00 UTC 2026\n",
    "date +%s; date '+%Y-%m-%d %H:%M'": "1795176000\n2026-11-20 12:00\n",
    "date +%s%3N": "1795176000000\n",
    "date -u -d @0 +%F": "1970-01-01\n",
    "date -d '2024-02-29 13:14:15'": "Thu Feb 29 13:14:15 UTC 2024\n",
    "su 0 date 010203042020.05; date": (
        "Thu Jan  2 03:04:05 UTC 2020\nThu Jan  2 03:04:05 UTC 2020\n"
    ),
    "su 0 date @1700000000 > /dev/null; date +%s": "1700000000\n",
    "su 0 date -s '2025-05-06 07:08:09' > /dev/null; date +%FT%T": "2025-05-06T07:08:09\n",
    "su 0 date 2025-05-06T07:08 +%H; date +%H": "07\n07\n",
    "date 010203042020 2>/dev/null; date": (
        "Thu Jan  2 03:04:00 UTC 2020\nFri Nov 20 12:00:00 UTC 2026\n"
    ),
    # processes
    "ps -A | head -n 3": (
        "USER           PID  PPID        VSZ    RSS WCHAN            ADDR S NAME\n"
        "root             1     0   10952000  10800 0                   0 S init\n"
        "u0_a100       2311     1   13752000  98000 0                   0 S org.notes\n"
    ),
    "ps -A -o PID,NAME | grep notes": " 2311 org.notes\n",
    "ps -o NAME= -p 2311": "org.notes\n",
    "pidof org.notes; pgrep notes; pgrep -l init": "2311\n2311\n1 init\n",
    "ps | grep -c ' sh$'": "1\n",
    "sleep 5 & pidof sleep | wc -w; kill $!; wait; pidof sleep": "1\n",
    # mksh
    r"echo 'a\tb'": "a\tb\n",
    r"echo -E 'a\tb'; echo -e 'a\x41'; echo -n x": "a\\tb\naA\nx",
    "echo $((2147483647 + 1))": "-2147483648\n",
    "echo $((010)) $((2#101)) $((16#ff))": "10 5 255\n",
    "[[ abc == a* && 1 -lt 2 ]] && echo yes; [[ a == b || -n '' ]] || echo no": "yes\nno\n",
    "x='a b'; [[ $x == 'a b' ]] && echo unsplit; [[ ! -e nope ]] && echo absent": (
        "unsplit\nabsent\n"
    ),
    "x='*'; [[ abc == \"$x\" ]] || echo quoted": "quoted\n",
    "echo out &> f; cat f; nope &> f; wc -l f": "out\n1 f\n",
    "i=0; while ((i < 3)); do ((i++)); done; echo $i; ((0)) || echo zero": "3\nzero\n",
    "((echo a); echo b); cat <<< 'here it  is'": "a\nb\nhere it  is\n",
    "x=1; x+=2; echo $x": "12\n",
    "echo $RANDOM | grep -c '^[0-9]'": "1\n",
    "export x='a b'; y=$x; export z=$x; echo \"$y $z\"": "a b a b\n",
    "which ls cd sqlite3": "/system/bin/ls\n/system/bin/sqlite3\n",
    "su 0 true && su 0 pwd; su 0 kill -0 1 && env echo up": "/data/local/tmp\nup\n",
    "toybox echo hi; /system/bin/echo there": "hi\nthere\n",
    "echo a > /dev/null; cat /dev/null; head -c 3 /dev/zero | base64": "AAAA\n",
    "echo x > /dev/tty; echo y > /dev/stdout; echo z | cat /dev/stdin": "x\ny\nz\n",
    "head -c 8 /dev/urandom | wc -c": "8\n",
    "ls nope 2>&1 | cat": "ls: nope: No such file or directory\n",
}


@pytest.mark.parametrize("script", OUTPUTS)
def test_output_is_androids(script: str, sh: "Shells") -> None:
    assert sh(script).out == OUTPUTS[script]


def test_output_is_binary_clean(sh: "Shells") -> None:
    data = bytes(range(256)) * 3
    assert sh.raw("cat", stdin=data)[0] == data
    assert sh.raw("cat > f; cat f | cat; rm f", stdin=data)[0] == data
    assert sh.raw(r"printf '\377\000\n'")[0] == b"\xff\x00\n"


def test_a_dollar_paren_keeps_bytes_that_are_no_text(sh: "Shells") -> None:
    assert sh.raw('x=$(cat); printf %s "$x"', stdin=b"\xff\xfe ok")[0] == b"\xff\xfe ok"


def test_a_writer_without_a_reader_ends(sh: "Shells") -> None:
    assert (
        sh("while :; do echo y; done | head -n 1; cat /dev/zero | head -c 1 | wc -c").out
        == "y\n1\n"
    )


def test_a_script_waits_for_jobs_that_could_still_print(sh: "Shells") -> None:
    assert sh("(sleep 0.02; echo late) & echo first").out == "first\nlate\n"


def test_a_job_of_a_shell_in_the_shell_is_waited_for_too(sh: "Shells") -> None:
    assert sh("sh -c '(sleep 0.02; echo late) &'; echo first").out == "first\nlate\n"


def test_a_script_does_not_wait_for_jobs_that_print_elsewhere(sh: "Shells") -> None:
    assert sh("sleep 600 > /dev/null 2>&1 &").status == 0


def test_run_as_needs_a_package(sh: "Shells") -> None:
    ended = sh("run-as org.nope ls")
    assert (ended.err, ended.status) == ("run-as: unknown package: org.nope\n", 1)
