"""A uiautomator2 program without a model, which ticks off the items in its goal."""

import sys

import uiautomator2


def main(goal: str) -> None:
    phone = uiautomator2.connect()
    phone.app_start("com.example.shopping")
    for box in phone(className="android.widget.CheckBox"):
        if box.get_text().lower() in goal.lower():
            box.click()


if __name__ == "__main__":
    main(sys.argv[1])
