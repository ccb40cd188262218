"""Opens the shopping list with adb and ticks off the eggs with the emulator's gRPC controller."""

import os
import subprocess
import sys
import time

import grpc
from google.protobuf.empty_pb2 import Empty

from pytest_mobileagent.virtual.grpc import control, control_services

EGGS = (130, 710)

adb = os.environ["MOBILEAGENT_ADB"]
subprocess.run([adb, "shell", "am start -W -n com.example.shopping/.MainActivity"], check=True)
with grpc.insecure_channel(f"localhost:{sys.argv[1]}") as channel:
    controller = control_services.EmulatorControllerStub(channel)
    print("booted:", controller.getStatus(Empty()).booted)
    for pressure in (1, 0):
        touch = control.Touch(x=EGGS[0], y=EGGS[1], identifier=0, pressure=pressure)
        controller.sendTouch(control.TouchEvent(touches=[touch]))
    for _ in range(100):
        dump = subprocess.run(
            [adb, "exec-out", "uiautomator dump /dev/tty"], check=True, capture_output=True
        )
        if b'checked="true"' in dump.stdout:
            break
        time.sleep(0.05)
print("DONE")
