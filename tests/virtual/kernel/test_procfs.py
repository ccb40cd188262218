"""The kernel's files in /proc."""

import re


def test_the_kernels_files_agree_with_the_commands(sh):
    assert sh("grep -c ^processor /proc/cpuinfo") == sh("grep -c ^cpu[0-9] /proc/stat")
    assert sh("uname -r").strip() in sh("cat /proc/version")
    (total,) = re.findall(r"MemTotal: +(\d+)", sh("cat /proc/meminfo"))
    assert f"Total RAM: {int(total):,}K" in sh("dumpsys meminfo")


def test_processors_idle_for_as_long_as_the_phone_is_up(sh, phone):
    before = int(sh("head -1 /proc/stat").split()[4])
    phone.clock.input_happened()
    after = int(sh("head -1 /proc/stat").split()[4])
    up, idle = map(float, sh("cat /proc/uptime").split())
    assert before < after
    assert abs(idle - after / 100) < 0.05
    assert abs(up - phone.clock.uptime()) < 0.01


def test_memory_is_taken_by_what_runs(sh, phone):
    def free() -> int:
        return int(re.findall(r"MemFree: +(\d+)", sh("cat /proc/meminfo"))[0])

    before = free()
    phone.activities.launch("org.demo")
    assert free() < before


def test_the_files_are_read_only(shell):
    assert shell("echo 1 > /proc/uptime").err.endswith("Permission denied\n")
    assert shell("cat /proc/nothing").status == 1
