"""A program of uiautomator2 that knows its way: it counts to the number in its goal."""

import re
import sys

import uiautomator2


def main(goal: str) -> None:
    phone = uiautomator2.connect()
    phone.app_start("com.example.counter")
    for _ in range(int(re.search(r"\d+", goal)[0])):
        phone(text="Add one").click()


if __name__ == "__main__":
    main(sys.argv[1])
