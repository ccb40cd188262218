"""A program that reports its steps and the calls of its own model to the recorder.

Outside an episode, as in `python steps.py "Put milk on the list in the Shopping app."`, it uses the
only attached phone.
"""

import re
import sys

import adbutils

from pytest_mobileagent import Recorder


def plan(goal: str) -> list[list[str]]:
    """Return the reply of the program's own model: groups of commands."""
    item = re.search(r"Put (\w+) on the list", goal)[1]
    return [
        ["monkey -p com.example.shopping 1"],
        ["input tap 540 346", f"input text {item}"],
        ["input tap 137 470"],
    ]


def main(goal: str) -> None:
    recorder, phone = Recorder(), adbutils.adb.device()
    recorder.call("my-own-7b", input_tokens=len(goal), output_tokens=30)
    for commands in plan(goal):
        with recorder.step():  # everything in this block is one step
            for command in commands:
                phone.shell(command)
    recorder.finish("it is on the list")


if __name__ == "__main__":
    main(sys.argv[1])
