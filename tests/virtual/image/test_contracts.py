"""Tests of the contracts' app: the APK in the package, its sources, and what the phone shows."""

from __future__ import annotations

import io
import re
import shutil
import subprocess
import zipfile
from pathlib import Path

import pytest

from pytest_mobileagent.virtual.apk import read_apk
from pytest_mobileagent.virtual.image import contracts

ROOT = Path(__file__).parents[3]
SOURCES = ROOT / "contracts-apk"
APK = (ROOT / "pytest_mobileagent" / "device" / "certify" / "contracts.apk").read_bytes()


def test_apk_can_be_installed_on_android_8_to_16():
    apk = read_apk(APK, "contracts.apk")
    assert apk.manifest.package == contracts.PACKAGE
    assert (apk.manifest.min_sdk, apk.manifest.target_sdk) == (26, 34)
    assert apk.certificate
    assert len(APK) < 60_000


def test_virtual_phone_shows_the_words_that_the_code_of_the_apk_shows():
    words = re.findall(r'const-string v\d, "([\w .]+)"', (SOURCES / "Main.smali").read_text())
    shown = Path(contracts.__file__).read_text()
    internal = {"audio", "keyguard"}  # names of Android's services
    assert {word.strip(" =") for word in words if word.strip(" =") not in shown} <= internal


@pytest.mark.skipif(shutil.which("smali") is None, reason="smali is not installed")
@pytest.mark.slow  # Java takes a second
def test_code_of_the_apk_is_made_from_the_sources(tmp_path):
    made = tmp_path / "classes.dex"
    command = ["smali", "assemble", "--api", "26", "-o", str(made), str(SOURCES / "Main.smali")]
    subprocess.run(command, check=True)
    with zipfile.ZipFile(io.BytesIO(APK)) as apk:
        assert apk.read("classes.dex") == made.read_bytes()
