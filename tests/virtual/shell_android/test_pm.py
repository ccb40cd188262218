"""pm: packages from the shell."""

from __future__ import annotations

import io
import re
import zipfile

import pytest

from pytest_mobileagent.virtual.apk import read_apk

IMAGE = {
    "package:android",
    "package:com.android.intentresolver",
    "package:com.android.shell",
    "package:com.android.systemui",
    "package:com.google.android.apps.nexuslauncher",
    "package:com.google.android.inputmethod.latin",
    "package:com.google.android.permissioncontroller",
    "package:com.google.android.providers.media.module",
    *(
        f"package:com.android.providers.{name}"
        for name in ("blockednumber", "calendar", "contacts", "settings", "telephony")
    ),
}
OTHERS = {
    "package:com.android.adbkeyboard",
    "package:org.demo",
    "package:org.mobileagent.listener",
}

LISTS = [
    ("", IMAGE | OTHERS),
    ("-s", IMAGE),
    ("-3", OTHERS),
    ("-3 demo", {"package:org.demo"}),
    ("-e shell", {"package:com.android.shell"}),
    ("-d", set()),
    ("nothing", set()),
    ("--show-versioncode demo", {"package:org.demo versionCode:42"}),
    ("-i demo", {"package:org.demo  installer=null"}),
    ("-U com.android.shell", {"package:com.android.shell uid:2000"}),
    ("--uid 2000", {"package:com.android.shell"}),
]


@pytest.mark.parametrize(("words", "lines"), LISTS)
def test_lists(sh, words, lines):
    assert set(sh(f"pm list packages {words}").splitlines()) == lines


def test_paths(sh):
    path = sh("pm path org.demo").strip()
    assert path.startswith("package:/data/app/~~")
    assert sh("cmd package list packages -f org.demo") == f"{path}=org.demo\n"
    assert path.endswith("==/base.apk")


def test_clear_starts_the_app_afresh(sh, phone):
    sh("am start org.demo")
    phone.packages.app("org.demo").preferences().put("name", "changed")
    sh("pm grant org.demo android.permission.CAMERA")
    assert sh("pm clear org.demo") == "Success\n"
    assert phone.packages.app("org.demo").preferences()["name"] == "Ann & Bob"
    assert phone.packages["org.demo"].granted == {}
    assert phone.activities.top.package == phone.launcher


def test_uninstall(shell, sh, phone):
    assert sh("pm uninstall --user 0 org.demo") == "Success\n"
    assert sh("pm list packages demo") == ""
    assert not phone.files.exists("/data/data/org.demo")
    assert shell("am start -n org.demo/.NotesActivity").status == 1
    assert shell("pm uninstall com.android.systemui").out.startswith("Failure [")


def test_permissions_show_in_the_dump_and_revoking_ends_the_app(sh, phone):
    sh("am start org.demo; pm grant org.demo android.permission.CAMERA")
    assert "android.permission.CAMERA: granted=true" in sh("dumpsys package org.demo")
    assert phone.proc.running("org.demo")
    sh("pm revoke org.demo android.permission.CAMERA")
    assert "android.permission.CAMERA: granted=false" in sh("dumpsys package org.demo")
    assert not phone.proc.running("org.demo")


def test_an_invalid_apk_is_refused(shell, phone):
    phone.files.write("/data/local/tmp/x.apk", b"no apk")
    said = shell("pm install -r -t /data/local/tmp/x.apk")
    assert (said.status, said.out) == (255, "")
    assert (
        "java.lang.IllegalArgumentException: Error: Failed to parse APK file: "
        "/data/local/tmp/x.apk: Failed to load asset path /data/local/tmp/x.apk\n" in said.err
    )
    status, out, err = shell("printf 123 | pm install --user 0 -S 3 -")
    place = re.sub(r"/data/app/vmdl\d+.tmp/base.apk", "{}", out)
    refused = "Failure [INSTALL_PARSE_FAILED_NOT_APK: Failed to parse {}]\n"
    assert (status, place, err) == (1, refused, "")
    assert "Error: Can't open file: /nope.apk" in shell("pm install /nope.apk").err


@pytest.mark.parametrize("package", ["com.android.systemui", "android", "org.demo"])
def test_every_path_leads_to_an_apk_that_says_whose_it_is(phone, package):
    path = phone.packages.path(package)
    data = phone.files.read(path)
    assert zipfile.ZipFile(io.BytesIO(data)).namelist() == ["AndroidManifest.xml"]
    assert read_apk(data, path).manifest.package == package


def test_an_app_that_leaves_takes_its_file_along(phone):
    path = phone.packages.path("org.demo")
    phone.packages.uninstall("org.demo")
    assert not phone.files.exists(path)
