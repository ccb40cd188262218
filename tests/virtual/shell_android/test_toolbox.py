"""toybox commands of original harnesses: labels, exact times, preserved attributes, monitors."""

import asyncio
import re

import pytest

from pytest_mobileagent.virtual.shell.interpreter import Session, run
from pytest_mobileagent.virtual.shell.streams import Bytes, Collected

ANSWERS = [
    ("getenforce", "Enforcing\n"),
    ("su 0 setenforce 0; getenforce; su 0 setenforce enforcing; getenforce",
     "Permissive\nEnforcing\n"),
    ("restorecon -RF /sdcard", ""),
    ("su 0 chcon -v u:object_r:app_data_file:s0 /data/local/tmp",
     "chcon '/data/local/tmp' to u:object_r:app_data_file:s0\n"),
    ("cd /data/local/tmp; echo a > a; touch -d 2024-05-06T07:08:09 a; ls -ll a; ls --full-time a",
     "-rw-rw-rw- 1 shell shell 2 2024-05-06 07:08:09.000000000 +0000 a\n" * 2),
    (("cd /data/local/tmp; mkdir d; echo x > d/f; su 0 chown -R 10077:10077 d; su 0 chmod 640 d/f;"
      " su 0 touch -d 2024-05-06T07:08:09 d/f; su 0 cp -a d e; su 0 stat -c '%u %g %a %Y' e/f"),
     "10077 10077 640 1714979289\n"),
    ("free | head -1", "\t\ttotal        used        free      shared     buffers\n"),
    ("top -b -n 1 -q -m 1 | tail -1 | tr -s ' ' | cut -d ' ' -f 8", "R\n"),
    ("netstat -ltn | head -2 | tail -1 | cut -c1-33", "Proto Recv-Q Send-Q Local Address\n"),
    ("lsof -t -p 1", "1\n"),
]  # fmt: skip


@pytest.mark.parametrize(("script", "answer"), ANSWERS, ids=[a[0] for a in ANSWERS])
def test_answers(shell, script, answer):
    ran = shell(script)
    assert (ran.out, ran.err) == (answer, "")


@pytest.mark.parametrize(("script", "words"), [
    ("setenforce 0", "setenforce: Couldn't set enforcing status to '0': Permission denied\n"),
    ("setenforce maybe", "setenforce: Invalid state: maybe\n"),
    ("restorecon /nope", "restorecon: restorecon failed: /nope: No such file or directory\n"),
    ("chcon u:r:x:s0 /sdcard", "chcon: '/sdcard' to u:r:x:s0: Permission denied\n"),
    ("nc localhost 9", "nc: connect: Connection refused\n"),
    ("nc 8.8.8.8 53", "nc: connect: Network is unreachable\n"),
])  # fmt: skip
def test_failures(shell, script, words):
    ran = shell(script)
    assert (ran.out, ran.err, ran.status) == ("", words, 1)


def test_top_shows_what_runs_and_how_much_memory_there_is(sh):
    said = sh("top -b -n 1")
    assert re.search(r"^Tasks: \d+ total, +1 running, +\d+ sleeping", said)
    assert re.search(
        r"^ +577 system +20 +0 +\S+ +\S+ +\S+ S +0.0 +\d+\.\d .*system_server$", said, re.MULTILINE
    )
    assert said.count("S[%CPU]") == 1


def test_nc_joins_two_shells(phone):
    async def both() -> bytes:
        heard = Collected()
        listening = asyncio.ensure_future(
            run(
                Session(phone=phone, uid=2000, stdin=Bytes(b""), stdout=heard, stderr=heard),
                "nc -l -p 4321",
            )
        )
        while "tcp:4321" not in phone.sockets:
            await asyncio.sleep(0)
        await run(
            Session(phone=phone, uid=2000, stdin=Bytes(b"hello\n"), stdout=heard, stderr=heard),
            "nc localhost 4321",
        )
        await listening
        return heard.data

    assert asyncio.run(asyncio.wait_for(both(), 10)) == b"hello\n"
