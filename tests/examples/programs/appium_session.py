"""An Appium program without a model, which adds the item named in its goal to the list.

It starts its own Appium server: the one in the folder APPIUM_HOME, or the one on the PATH.
"""

import os
import re
import shutil
import socket
import subprocess
import sys

from appium import webdriver
from appium.options.android import UiAutomator2Options
from appium.webdriver.appium_service import AppiumService
from appium.webdriver.common.appiumby import AppiumBy

SHOPPING = "com.example.shopping"


def put(item: str, url: str) -> None:
    driver = webdriver.Remote(url, options=UiAutomator2Options())
    driver.activate_app(SHOPPING)
    driver.find_element(AppiumBy.ID, f"{SHOPPING}:id/new_item").send_keys(item)
    driver.find_element(AppiumBy.ID, f"{SHOPPING}:id/add").click()
    driver.quit()


def main(goal: str) -> None:
    own = f"{os.environ.get('APPIUM_HOME')}/node_modules/.bin"
    script = os.path.realpath(shutil.which("appium", path=f"{own}:{os.environ['PATH']}"))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    service = AppiumService()
    service.start(main_script=script, args=["--port", port], stdout=subprocess.DEVNULL)
    try:
        put(re.search(r"Put (\w+) on the list", goal)[1], f"http://127.0.0.1:{port}")
    finally:
        service.stop()


if __name__ == "__main__":
    main(sys.argv[1])
