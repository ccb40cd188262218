"""awk, compared with the host's own where there is one."""

import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.virtual.shell.conftest import Shells

TEXT = b"""\
USER PID NAME RSS
root 1 init 10800
u0_a12 2311 com.example.notes 98000
u0_a7 2345 com.example.mail 87500.5
shell 4012 sh 3400

key=value;other=9
"""

PROGRAMS = r"""
{print $2}
{print $1, $NF; print}
NR==2
NR>1 && NF>2 {print NR": "$3}
/example/
!/example/ {print "no", $1}
/root/,/shell/ {print $1}
$1 ~ /^u0_/ {print $3}
$1 !~ "u0" {n++} END {print n}
$2 > 2000 {print $1}
$4 > 3500 {sum += $4} END {print sum, NR, sum/2}
BEGIN {print 1+2*3, 7%4, 2^10, 10/4, -3, !0, !1}
BEGIN {x = 5; x += 2; x *= 3; print x, x++, ++x, x--}
BEGIN {print length("hello"), substr("hello", 2, 3), index("hello", "l"), toupper("abc")}
BEGIN {print substr("hello", 1), substr("hello", 2, 0), substr("hello", 4, 99), tolower("ABC")}
BEGIN {s = "aaa"; print gsub(/a/, "b&", s), s; t = "xyx"; sub("x", "[&]", t); print t}
BEGIN {s = "hello"; gsub("l*", "-", s); print s}
BEGIN {print match("foobar", /o+/), RSTART, RLENGTH; print match("x", /y/), RSTART, RLENGTH}
BEGIN {n = split("a:b:c", p, ":"); print n, p[1], p[3]; n = split("  x  y ", q); print n, q[1]}
BEGIN {printf "%s %5d|%-5s|%05.1f %c %x %%\n", "a", 42, "b", 3.14159, 65, 255}
BEGIN {print sprintf("%03d", 7) "x"; print int(3.9), int(-3.9), sqrt(16)}
{count[$1]++} END {for (k in count) n += count[k]; print n; print length(count)}
{a[NR] = $1} END {for (i = NR; i > 0; i--) printf "%s ", a[i]; print ""}
BEGIN {a["x"] = 1; print ("x" in a), ("y" in a); delete a["x"]; print ("x" in a)}
BEGIN {a[1,2] = 3; for (k in a) {split(k, p, SUBSEP); print p[1], p[2]}; print ((1,2) in a)}
BEGIN {i = 0; while (i < 3) {if (i == 1) {i++; continue}; print i; i++}}
BEGIN {i = 3; do {i--} while (i > 0); print i}
BEGIN {for (;;) {if (++n > 4) break}; print n}
function f(n) {return n <= 1 ? 1 : n * f(n - 1)} BEGIN {print f(5)}
function f(arr, n,   i) {for (i = 1; i <= n; i++) arr[i] = i * i} BEGIN {x[0]; f(x, 3); print x[3]}
NF {print; next} {print "empty"}
{$2 = "X"; print; print NF}
{$0 = "a b c"; print $2, NF; exit}
{NF = 2; print}
{$6 = "six"; print; exit}
BEGIN {OFS = "-"} {$1 = $1; print}
BEGIN {FS = "[=;]"} /=/ {print $1, $2, $4}
BEGIN {FS = "."} /com/ {print $2, NF}
BEGIN {RS = ";"} END {print NR}
BEGIN {ORS = "|"} {print $1}
END {print NR, $0}
BEGIN {exit 3} END {print "end"}
{exit 4}
BEGIN {print "a" > "out"; print "b" > "out"; close("out")} END {print "done"}
{print $1 | "sort"}
BEGIN {print 1 == 1.0, "a" < "b", "10" < "9", 10 < 9, "abc" == "abc"}
$2 == "1" {print "string"} $2 == 1 {print "number"} $2 == "01" {print "never"}
BEGIN {print x + 0, x "", length(x), !x}
BEGIN {print 1e6, 123456789, 0.1 + 0.2, 1/3, 1000 * 1000, 3.0}
BEGIN {print 1 " " 2, 1 2, "a" 1 + 1 "b"}
BEGIN {print -1 " " -1; print 2 - 1, 2 -1}
BEGIN {print "tab\there", "quote\"d", "back\\slash"}
BEGIN { # a comment
  x = 1   # another
  if (x)
    print "yes"
  else
    print "no"
}
BEGIN {if (0) print "a"; else if (1) print "b"; else print "c"}
BEGIN {x["a"]; if ("a" in x) print "created"}
BEGIN {print (1, 2) in a; print !("z" in a)}
BEGIN {print 5 " items" + 3}
BEGIN {print length}
length > 20 {print length, length($3)}
length($0) == 0 {print "blank at", NR}
BEGIN {printf("%s-%s\n", "a", "b"); print("in", "parens")}
BEGIN {print substr("x", 1) (1 > 2 ? "y" : "n")}
{print > "/dev/stderr"}
BEGIN {a = "A"; b = a++; print a, b}
BEGIN {$3 = "c"; print NF, $0}
BEGIN {print index("a.b", "."), "a.b" ~ /a\.b/, "axb" ~ "a.b", "a/b" ~ /a\/b/}
/[0-9]+\.[0-9]/ {print $4 + 1}
BEGIN {print toupper(substr("abc", 1, 1)) substr("abc", 2)}
BEGIN {print 2^3^2, -2^2; print 1 - 1 - 1}
"""
OTHERS = [
    "awk -F= '{print $2}' in",
    "awk -F: -v OFS=, -v n=2 '{print n, $1}' in",
    "awk -v 's=a\\tb' 'BEGIN {print s}'",
    "awk '{print FILENAME, FNR, NR}' in in",
    "awk '{print x, $1}' x=1 in x=2 in",
    "awk 'BEGIN {print ENVIRON[\"HOME\"]}'",
    "echo '{print $1}' > p.awk; awk -f p.awk in",
    "awk -F'\\t' '{print NF}' in",
    "printf 'a b\\nc d\\n\\ne f\\n' | awk 'BEGIN {RS = \"\"} {print NR, $1, $NF}'",
]


def programs() -> list[str]:
    joined: list[str] = []
    for line in PROGRAMS.strip().splitlines():
        if joined and joined[-1].count("{") > joined[-1].count("}"):
            joined[-1] += "\n" + line
        else:
            joined.append(line)
    return [f"awk '{program}' in" for program in joined]


@pytest.mark.skipif(not shutil.which("awk"), reason="the host has no awk to compare with")
@pytest.mark.parametrize("script", programs() + OTHERS)
def test_programs_do_what_they_do_on_the_host(script: str, sh: "Shells", tmp_path: "Path") -> None:
    (tmp_path / "in").write_bytes(TEXT)
    sh.device.files.write("/data/local/tmp/in", TEXT, uid=2000)
    expected = subprocess.run(
        ["sh", "-c", script],
        cwd=tmp_path,
        capture_output=True,
        timeout=10,
        check=False,
        input=b"",
        env={"PATH": "/usr/bin:/bin", "LC_ALL": "C", "HOME": "/"},
    )
    out, err, status = sh.raw(script)
    assert (out.decode(), status) == (expected.stdout.decode(), expected.returncode), err


FAILURES = {
    "awk": "awk: usage: awk [-F fs][-v var=value][prog | -f progfile][file ...]\n",
    "awk 'BEGIN {print (}'": "awk: syntax error at source line 1\n",
    "awk 'BEGIN {x = 1\nif}'": "awk: syntax error at source line 2\n",
    "awk 'BEGIN {print 1/0}'": "awk: division by zero\n",
    "awk 'BEGIN {nope()}'": "awk: calling undefined function nope\n",
}


@pytest.mark.parametrize("script", FAILURES)
def test_a_program_that_makes_no_sense_fails(script: str, sh: "Shells") -> None:
    ended = sh(script)
    assert (ended.err, ended.status) == (FAILURES[script], 2)


def test_lines_are_printed_as_they_arrive(sh: "Shells") -> None:
    assert sh("yes | awk '{print NR}' | head -n 2").out == "1\n2\n"
