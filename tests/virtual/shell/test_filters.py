"""Filters, compared with the host's own, limited to what POSIX specifies."""

import subprocess
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.virtual.shell.conftest import Shells

TEXT = b"""\
root 1 init /sbin
u0_a12 2311 com.example.notes apps
u0_a7 2345 com.example.mail apps
shell 4012 sh tools
shell 4013 ps tools

Last line: Total=42
"""

SCRIPTS = r"""
cat
cat - < in
cat in in
head -n 2
head -2
head -c 10
tail -n 2
tail -2
tail -n +3
tail -c 5
wc -l | tr -d ' '
wc -w | tr -d ' '
wc -c | tr -d ' '
sort
sort -r
sort -k2 -n
sort -k2,2n -k1,1
sort -t' ' -k4
sort -u -k1,1
sort -n -r -k 2
cut -d' ' -f2
cut -d' ' -f1,3
cut -d' ' -f2-
cut -d ' ' -f -2
cut -c1-4
cut -c 3-
cut -d= -f2
cut -s -d= -f2
tr a-z A-Z
tr -d aeiou
tr -s '\n'
tr '[:lower:]' '[:upper:]'
tr -cd '[:digit:]\n'
tr ' ' '\n'
tr -s ' ' '\t'
cut -d' ' -f1 | uniq
cut -d' ' -f1 | sort | uniq -c | tr -s ' '
cut -d' ' -f4 | uniq -d
cut -d' ' -f4 | uniq -u
grep apps
grep -v apps
grep -c apps
grep -n shell
grep -i ROOT
grep -E 'init|mail'
grep 'init\|mail'
grep -o 'com\.[a-z]*'
grep -w sh
grep -x ''
grep -F 'com.e'
grep -q apps && echo found
grep -q nothing; echo $?
grep nothing
grep -e init -e mail
grep '^u0_a[0-9]* '
grep 'apps$'
grep '[[:digit:]]\{4\}'
grep -E '[0-9]{4} (sh|ps) '
grep -A1 init
grep -B1 mail
grep -C1 mail
grep -A0 -n init
grep -m1 apps
grep apps in
grep -l apps in
grep -H apps in
grep -c apps in in
grep -vc apps
grep -on '[0-9][0-9]*'
grep '\.' | grep -v mail | cut -d. -f3
grep -E '(a)(p)\2'
grep '\(l\)\1'
grep '*'
grep 'a*b'
grep -E '^(root|shell)'
grep '[]a]pps'
grep '[^a-z ]*='
grep '[!a]pps'
grep '[\_]a12'
sed -n 2p
sed -n '2,3p'
sed -n '$p'
sed '/^$/d'
sed 's/apps/APPS/'
sed 's/e/E/g'
sed -n 's/shell/&&/p'
sed 's/\([a-z_0-9]*\) \([0-9]*\).*/\2 \1/'
sed -E 's/([a-z0-9_]+) ([0-9]+).*/\2:\1/'
sed 's|/|:|g'
sed -e 1d -e 's/ .*//'
sed '/init/,/mail/d'
sed '2,$d'
sed '2q'
sed '/init/!d'
sed 's/[^ ]* //;s/ .*//'
sed 's/x*/-/g'
sed 's/a\|e/_/g'
xargs -n 3 echo
xargs echo
head -n 2 | xargs -I X echo '<X>'
xargs -n 1 | head -n 3
tee copy | wc -l | tr -d ' '; cat copy | wc -l | tr -d ' '
tee -a in > /dev/null; wc -l < in | tr -d ' '
base64
base64 | base64 -d
md5sum
sha256sum in
basename /a/b/c.txt; basename /a/b/c.txt .txt; basename a/; basename /
dirname /a/b/c; dirname a; dirname /a; dirname /; dirname a/b/
seq 3; seq 2 4; seq 5 -2 1; seq -s, 3
mkdir -p a/b/c; touch a/b/f a/g.txt; find a | sort
mkdir -p a/b; touch a/b/f a/g.txt; find a -type f | sort; find a -name '*.txt'; find a -type d
mkdir -p a/b; touch a/b/f; find a -name f -o -name b | sort; find a ! -name f | sort
mkdir -p a/b; touch a/f; find a -maxdepth 1 | sort; find a -mindepth 1 -type d
touch x y; find . -name x -exec echo found {} \;; find . -name '[xy]' -exec echo {} + | wc -w
touch x; find . -name x -delete; ls x 2>/dev/null || echo gone
printf 'a\0b\0' | xargs -0 -n 1 echo
find in -size +1; find in -size -2; find in -empty; touch e; find e -empty
echo a > f; cp f g; cat g; mv g h; cat h; ls
mkdir d; cp in d; ls d; cp -r d e; ls e; rm -r d; ls
mkdir d; echo x > d/f; mv d e; cat e/f; rmdir e 2>/dev/null || echo full
ln -s in l; readlink l; cat l | head -n 1; rm l; ls
touch a b; rm -f a nope; echo $?; ls
chmod 640 in; ls -l in | cut -c1-10; chmod u+x,g-r,o=w in; ls -l in | cut -c1-10
env X=1 sh -c 'echo $X'; env -u HOME sh -c 'echo ${HOME-none}'
timeout 5 echo fine; timeout 0.05 sleep 5; echo $?
nohup echo undisturbed 2>/dev/null
sh -c 'kill -9 $$'; echo $?
sleep 5 & kill $!; wait $!; echo $?
kill -0 $$ && echo alive; kill -0 99999 2>/dev/null || echo dead
test -t 0 || echo pipe
uname -s
"""


@pytest.mark.parametrize("script", SCRIPTS.strip().replace("\\\n", "\0").split("\n"))
def test_filters_do_what_the_hosts_do(script: str, sh: "Shells", tmp_path: "Path") -> None:
    script = script.replace("\0", "\\\n")
    (tmp_path / "in").write_bytes(TEXT)
    sh.device.files.write("/data/local/tmp/in", TEXT, uid=2000)
    expected = subprocess.run(
        ["sh", "-c", script],
        input=TEXT,
        cwd=tmp_path,
        capture_output=True,
        timeout=10,
        check=False,
        env={"PATH": "/usr/bin:/bin", "LC_ALL": "C", "HOME": "/"},
    )
    out, err, status = sh.raw(script, stdin=TEXT)
    assert (out.decode(), status) == (expected.stdout.decode(), expected.returncode), err
