"""The language, compared with the results of the host's own sh for the same scripts."""

import subprocess
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.virtual.shell.conftest import Shells

SCRIPTS = r"""
echo hello   world
echo 'a  b' "c  d" e\ f
echo "it's" 'say "hi"' "\"q\" \$x \\ \`"
printf '%s\n' ''\''quoted'\'''
echo a'b'"c"d
x=1; echo $x ${x} "$x" '$x' x$x"y"
x='a  b'; echo $x; echo "$x"
x='a b c'; set -- $x; echo $#
IFS=:; x=a:b::c; set -- $x; echo $# "$3" "$4"
IFS=': '; x=' a : b  c: '; set -- $x; echo "$#/$1/$2/$3"
x=a:b:; IFS=:; set -- $x; echo $#
IFS=; x='a b'; set -- $x; echo $#
set -- a 'b c' d; for i in "$@"; do echo "[$i]"; done
set -- a 'b c' d; for i in $@; do echo "[$i]"; done
set -- a 'b c' d; for i in "$*"; do echo "[$i]"; done
set -- a b; for i in "x$@y"; do echo "[$i]"; done
set --; for i in "$@"; do echo never; done; echo done $#
set -- 1 2 3; for i; do echo $i; done
set -- 'a b' c; IFS=-; echo "$*"
set -- a b c d e f g h i j; echo ${10} $9 $1; shift 3; echo $1 $#
echo "$#" "$?" "$0" | grep -c .
echo ${x-unset} ${x:-unset} ${x+set}; x=; echo ${x-unset} ${x:-null} ${x+set} ${x:+full}
: ${y:=default}; echo $y
x=hello; echo ${#x}
x=/a/b/c.txt; echo ${x##*/} ${x#*/} ${x%/*} ${x%%/*} ${x%.txt}
x='a*b'; echo "${x%'*'b}" "${x#a"*"}"
x=abcabc; echo ${x#*b} ${x##*b} ${x%b*} ${x%%b*}
y='b c'; echo ${x:-$y} "${x:-$y}" ${x:-"$y"} | cat
echo "${x:-a "b c" d}" ${x:-'a  b'}
x=; echo "${x:-}" | wc -c | tr -d ' '
echo $((1 + 2 * 3)) $((10 / 3)) $((10 % 3)) $((-7 / 2)) $((-7 % 3))
x=5; echo $((x * 2)) $(($x + 1)) $((x > 3)) $((x == 5 && x != 4)) $((!x))
echo $((1 << 4)) $((0x1f)) $((5 & 3)) $((5 | 3)) $((5 ^ 3)) $((~5)) $(( (1+2)*3 ))
x=1; echo $((x += 4)) $x; echo $((x = 7)) $x
echo $((1 ? 2 : 3)) $((0 ? 2 : 3)) $((1 || 0)) $((0 && 1))
echo "$((2+2))" '$((2+2))'
echo $(echo a; echo b) "$(echo a; echo b)"
echo $(echo $(echo nested $(echo deep)))
echo `echo back` `echo \`echo nested\``
echo "$(echo "quoted $(echo 'deep "x"')")"
x=$(printf 'a\n\n\n'); echo "[$x]"
x=$(false); echo $?; x=$(exit 7); echo $?
echo $(( $(echo 3) + 4 ))
echo "a$(echo)b"
true && echo yes || echo no; false && echo yes || echo no
false || false || echo third; true || echo never; echo $?
! true; echo $?; ! false; echo $?
true; false; echo $?
(exit 3); echo $?
{ echo a; echo b; } | cat
(x=inner; echo $x); echo "[$x]"
x=outer; { x=inner; }; echo $x
echo one; exit 4; echo never
(echo sub; exit 5); echo $?
if true; then echo t; else echo f; fi
if false; then echo t; elif true; then echo e; else echo f; fi
if false; then echo t; fi; echo $?
if ! false; then echo negated; fi
i=0; while [ $i -lt 3 ]; do echo $i; i=$((i+1)); done
i=0; until [ $i -ge 3 ]; do i=$((i+1)); done; echo $i
while :; do echo once; break; done
for i in 1 2 3 4; do [ $i = 2 ] && continue; [ $i = 4 ] && break; echo $i; done
for i in 1 2; do for j in a b c; do [ $j = b ] && continue 2; echo $i$j; done; done
for i in 1 2; do for j in a b; do break 2; done; echo never; done; echo out
for i in; do echo never; done; echo $?
for x in a b; do echo $x; done; echo $x
for f in nope*; do echo "$f"; done
case abc in a*) echo star;; *) echo other;; esac
case abc in x|abc|y) echo alternative;; esac
case 'a*' in 'a*') echo literal;; esac; case abc in 'a*') echo wrong;; *) echo right;; esac
case x in [a-m]) echo low;; [n-z]) echo high;; esac; case 5 in [!0-9]) echo no;; ?) echo one;; esac
case "" in "") echo empty;; esac; case a in b) ;; esac; echo $?
x='*'; case abc in $x) echo pattern;; esac; case abc in "$x") echo no;; *) echo quoted;; esac
case a in (a) echo parens;; esac
f() { echo "f: $1 $#"; return 3; }; f a b; echo $?
f() { echo $1; }; f "a b"; set -- outer; f inner; echo $1
f() { x=changed; }; x=old; f; echo $x
f() { (exit 2); }; f; echo $?
f() { return; }; false; f; echo $?
f() if true; then echo body; fi; f
fact() { if [ $1 -le 1 ]; then echo 1; else echo $(( $1 * $(fact $(($1 - 1))) )); fi; }; fact 6
f() { echo in; } > f.txt; f; cat f.txt
echo a > f; echo b >> f; cat f; cat < f
echo err >&2; echo out; (echo err >&2) 2>/dev/null
(echo out; echo err >&2) 2>&1 | sort
(echo out; echo err >&2) 2>&1 >/dev/null
{ echo a; echo b >&2; } > f 2>&1; cat f
echo x > f; : > f; wc -c < f | tr -d ' '
> empty; ls empty
cat <<EOF\nhello $((1+1)) $(echo sub) `echo back` \$x "q"\nEOF
x=v; cat <<'EOF'\n$x $(echo no) \\ \$\nEOF
cat <<-EOF\n\tindented\n\t\tmore\n\tEOF
cat <<A; cat <<B\none\nA\ntwo\nB
cat <<EOF | tr a-z A-Z\nupper\nEOF
while read a b; do echo "$b-$a"; done <<EOF\n1 2 3\n4 5\nEOF
if true; then cat <<EOF\nin if\nEOF\nfi
exec 3>f; echo three >&3; exec 3>&-; cat f
exec 2>/dev/null; nosuchcommand; echo $?
echo abc | { read x; echo "<$x>"; }
printf 'a b  c\n' | { read x y; echo "[$x][$y]"; }
printf ' lead trail \n' | { read x; echo "[$x]"; }
printf ' lead trail \n' | { IFS= read x; echo "[$x]"; }
printf 'a\\b\n' | { read -r x; echo "$x" | wc -c | tr -d ' '; }
printf 'a\\\nb\n' | { read x; echo "$x"; }
printf 'a:b:c\n' | { IFS=: read x y; echo "$x $y"; }
printf 'no newline' | { read x; echo "$? $x"; }
printf '' | { read x; echo "$?"; }
printf '1\n2\n3\n' | while read x; do echo "got $x"; done
printf '1\n2\n' | (read a; read b; echo $b$a)
echo a b c | (read x rest; echo $rest)
while :; do echo y; done | head -n 2
echo a | cat | cat | cat
false | true; echo $?; true | false; echo $?
! false | true; echo $?
echo 1; echo 2 & wait; echo 3
(sleep 0.02; echo late) & wait $!; echo $?
(exit 9) & wait $!; echo $?
x=1 sh -c 'echo $x'; echo "[$x]"
x=1; sh -c 'echo "[$x]"'; export x; sh -c 'echo $x'
export A=1 B='two words'; sh -c 'echo $A $B'
unset x; x=1; unset x; echo "[${x-gone}]"
sh -c 'echo $0 $1 $2' name a b
sh -c 'exit 6'; echo $?
eval 'x=1; echo $x'; eval echo '$x'
eval "echo a; echo b" | wc -l | tr -d ' '
echo 'echo sourced $x; y=set' > s.sh; x=val; . ./s.sh; echo $y
echo 'echo "$0" "$@"' > s.sh; sh s.sh a 'b c'
echo 'return 3; echo never' > s.sh; . ./s.sh; echo $?
set -e; true; if false; then :; fi; false || true; echo alive; false; echo never
set -e; (false); echo never
set -e; f() { false; echo never; }; f
set -e; ! true; echo alive; x=$(false); echo never
set -u; echo ${x-ok}
set -f; echo *; set +f
set -- -a b; echo "$1"; set -- ; echo $#
[ a = a ] && echo eq; [ a != b ] && echo ne; [ -z "" ] && echo z; [ -n a ] && echo n
[ 1 -lt 2 ] && [ 2 -le 2 ] && [ 3 -gt 2 ] && [ 3 -ge 3 ] && echo order; [ 1 -eq 2 ] || echo ne
[ ! a = b ] && echo not; [ a = a -a b = b ] && echo and; [ a = b -o b = b ] && echo or
[ "(" = "(" ] && echo paren; [ -f = -f ] && echo operator; [ "!" ] && echo bang; [ ] || echo empty
touch f; mkdir d; [ -f f ] && [ -d d ] && [ -e f ] && [ ! -e g ] && [ ! -s f ] && echo files
echo x > f; [ -s f ] && [ -r f ] && [ -w f ] && [ ! -x f ] && echo modes
ln -s f l; [ -L l ] && [ -h l ] && [ -f l ] && echo link
test a = b; echo $?; test; echo $?
[ a = b; echo $?
touch a1 a2 b1 .hidden; echo *; echo a*; echo ?1; echo [ab]1; echo [!a]*; echo .h*
mkdir d; touch d/x d/y; echo */; echo d/*; echo */x; cd d; echo *
touch 'a b' c; for f in *; do echo "[$f]"; done
touch ab; echo "a*" 'a*' a\* a*; x='a*'; echo $x "$x"
touch 'we[i]rd'; echo we\[i\]rd*; echo "we[i]"*
cd /; pwd; cd "$OLDPWD" && echo back
mkdir -p a/b; cd a/b; cd ..; basename "$(pwd)"; cd -  > /dev/null; basename "$(pwd)"
(mkdir z; cd z); [ -d z ] && echo stayed; cd nope 2>/dev/null || echo failed
echo ~ | grep -c /; HOME=/h; echo ~ ~/x "~" a~
echo $HOME > /dev/null; x=~; [ "$x" = "$HOME" ] && echo tilde
# comment\necho a # trailing\necho 'b # not' c#not
echo a; # nothing\n\n\necho b
echo line \\\ncontinued
echo "line \\\ncontinued"
echo 'line \\\nkept'
a=1 b=$a; echo $b
x=$(cat <<EOF\nin substitution\nEOF\n); echo $x
echo a ; echo b&& echo c||echo d
{ echo a;} ; (echo b)
true &&\necho next line
true |\ncat; echo piped
if true\nthen\necho multi\nfi
for i in a \\\nb\ndo echo $i\ndone
case x in\nx)\necho multi\n;;\nesac
f()\n{\necho newline\n}\nf
printf '%s-%s\n' a b c
printf '%d %i %5d|%-5d|%05d\n' 1 2 3 4 5
printf '%x %X %o %u\n' 255 255 8 7
printf '%s|%10s|%-10s|%.2s\n' abc abc abc abc
printf '%c%c\n' abc def
printf '%.2f %e\n' 3.14159 1000
printf '%%|%b|%s\n' 'a\tb' 'a\tb'
printf 'a\tb\\n\101\n'
printf '%d\n' 0x10 010 "'A"
printf 'no newline'
printf '%s\n' "$(printf 'a\nb')"
printf '[%s]\n'; printf '[%d]\n'
echo -n a; echo b
echo; echo ""
command echo direct; command -v cd; command -v nosuch || echo none
nosuchcommand 2>/dev/null; echo $?
./nosuch 2>/dev/null; echo $?
echo x > plain; ./plain 2>/dev/null; echo $?
printf '#!/bin/sh\necho script "$1"\nexit 3\n' > s; chmod +x s; ./s arg; echo $?
echo 'echo no shebang' > s; chmod +x s; ./s
exec echo replaced; echo never
times > /dev/null 2>&1; echo ok
echo "$(( 1 + $(( 2 * 3 )) ))"
x=abc; x=${x}def; echo $x; x="$x$x"; echo ${#x}
echo ${x:-$(echo sub)} ${x:-`echo back`} ${x:-$((1+1))}
a='$b'; b=c; echo $a; eval echo $a
echo {a,b} > /dev/null; echo "{a,b}"
echo '!' "!" a!b
echo a=b =c; x=a=b; echo $x
export x=1; (x=2; sh -c 'echo $x'); sh -c 'echo $x'
x='a\b'; printf '%s\n' "$x" $x
x='[a]'; echo $x
echo "a\\b" | wc -c | tr -d ' '
x="a
b"; echo "$x"; echo $x
""; echo $?
if [ "$(echo a b | wc -w)" -eq 2 ]; then echo two; fi
seq 3 | while read n; do echo $((n * n)); done | tail -n 1
i=0; while true; do i=$((i+1)); if [ $i -gt 5 ]; then break; fi; done; echo $i
cat f 2>/dev/null || echo "no f"
ls nope > /dev/null 2>&1; [ $? -ne 0 ] && echo failed
echo a > f && cat f && rm f && ls f 2>/dev/null; [ -e f ] || echo gone
set -- "$(echo one)" 'two three'; printf '<%s>' "$@"; echo
x=5; while [ $x -gt 0 ]; do x=$((x-2)); done; echo $x
unset IFS; set -- $(printf 'a b\tc\nd'); echo $#
wait; echo $?
:; echo $?; : > f; echo $?
true > /nope/f 2>/dev/null || echo cannot
"""


def cases() -> list[str]:
    lines: list[str] = []
    for line in SCRIPTS.strip().splitlines():
        if lines and lines[-1].count('"') % 2 and lines[-1].startswith('x="a'):
            lines[-1] += "\n" + line
        else:
            lines.append(line)
    return [unfolded(line) for line in lines]


def unfolded(line: str) -> str:
    """Replace \\n by a line feed, except for printf and tr, which interpret it themselves."""
    if "printf" in line or ("tr " in line and "<<" not in line):
        return line
    return line.replace("\\\\\\n", "\\\n").replace("\\n", "\n").replace("\\t", "\t")


@pytest.mark.parametrize("script", cases())
def test_scripts_do_what_they_do_in_sh(script: str, sh: "Shells", tmp_path: "Path") -> None:
    expected = subprocess.run(
        ["sh", "-c", script], cwd=tmp_path, capture_output=True, timeout=10, check=False
    )
    out, err, status = sh.raw(script)
    assert (out, status) == (expected.stdout, expected.returncode), err
