"""pm install: what is installed, where, and what is refused."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from tests.virtual.apks import Tag, build, entry, png

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_mobileagent.virtual.phone import Phone
    from tests.virtual.conftest import Ran

    Install = Callable[..., Ran]

NAME = "com.example.app"
APK = "/data/local/tmp/x.apk"


@pytest.fixture
def install(shell: Callable[..., Ran], phone: Phone) -> Install:
    """Push an APK and install it."""

    def run(apk: bytes, options: str = "") -> Ran:
        phone.files.write(APK, apk)
        return shell(f"pm install {options} {APK}")

    return run


def test_a_new_app_is_everywhere(install: Install, sh, phone):
    apk = build(version=3, permissions=("android.permission.CAMERA",))
    assert install(apk) == (0, "Success\n", "")
    path = sh(f"pm path {NAME}").strip().removeprefix("package:")
    assert re.fullmatch(rf"/data/app/~~[\w=-]+/{NAME}-[\w=-]+/base.apk", path)
    assert phone.files.read(path) == apk
    lines = sh(f"pm list packages -3 -f -i --show-versioncode {NAME}")
    assert lines == f"package:{path}={NAME} versionCode:3  installer=null\n"
    dump = sh(f"dumpsys package {NAME}")
    assert f"codePath={path.removesuffix('/base.apk')}\n" in dump
    assert "versionCode=3 minSdk=24 targetSdk=34\n    versionName=3.0\n" in dump
    assert "android.permission.CAMERA: granted=false" in dump
    assert sh(f"pm dump {NAME}").startswith(f"DUMP OF SERVICE package:\n{dump}")
    owner = sh(f"pm list packages -U {NAME}").strip().rpartition(":")[2]
    assert phone.files.stat(f"/data/data/{NAME}").uid == int(owner)
    assert "Example" in [app.label for app in phone.packages.launchable()]


def test_its_activities_start_and_show_their_titles(install: Install, sh, shell, hand):
    inside = entry(".Main"), Tag("activity", {"name": ".Second", "label": "More"})
    install(build(inside=inside))
    assert sh(f"cmd package resolve-activity --components {NAME}") == f"{NAME}/.Main\n"
    assert "Status: ok" in sh(f"am start -W -n {NAME}/.Main")
    assert hand.sees("Example")
    assert NAME in hand.phone.dump()
    assert "not exported" in shell(f"am start -n {NAME}/.Second").err
    shell(f"am start -n {NAME}/.Second", uid=0)
    assert hand.sees("More")


def test_its_filters_are_kept_to(install: Install, sh):
    view = Tag("action", {"name": "android.intent.action.VIEW"})
    data = Tag("data", {"scheme": "https", "host": "example.org", "pathPrefix": "/a"})
    reader = Tag(
        "activity",
        {"name": ".Reader", "exported": True},
        [Tag("intent-filter", children=[view, data])],
    )
    install(build(inside=(entry(".Main"), reader)))

    def who(link: str) -> str:
        command = "cmd package query-activities --components -a android.intent.action.VIEW"
        return sh(f"{command} -d {link}")

    dump = sh(f"dumpsys package {NAME}")
    assert "Activity Resolver Table:\n  Non-Data Actions:\n" in dump
    main = dump.partition("      android.intent.action.MAIN:\n")[2].splitlines()[0]
    assert re.fullmatch(rf" {{8}}[0-9a-f]{{7}} {NAME}/\.Main filter [0-9a-f]{{7}}", main)

    assert f"{NAME}/.Reader\n" in who("https://example.org/a/page")
    assert NAME not in who("https://example.org/b")
    assert NAME not in who("https://example.com/a")


@pytest.mark.parametrize("picture", [png(48, 48), b"no picture"], ids=["whole", "broken"])
def test_its_icon_is_among_the_others(install: Install, phone, picture: bytes):
    phone.swipe(500, 1500, 500, 500)  # to all apps
    before = phone.screenshot()
    install(build(icon="res/icon.png", files={"res/icon.png": picture}))
    assert phone.packages.app(NAME).icon == picture
    assert phone.screenshot() != before


def test_an_update_keeps_data_and_ends_the_app(install: Install, sh, phone):
    install(build(version=1))
    old = sh(f"pm path {NAME}").strip().removeprefix("package:")
    sh(f"am start {NAME}")
    phone.files.write(f"/data/data/{NAME}/kept", b"")
    assert install(build(version=2)).out == "Success\n"
    assert not phone.proc.running(NAME)
    assert phone.files.exists(f"/data/data/{NAME}/kept")
    assert not phone.files.exists(old)
    assert "versionCode=2 " in sh(f"dumpsys package {NAME}")


def test_uninstalling_leaves_nothing_unless_data_shall_be_kept(install: Install, sh, phone):
    before = {path for path, _ in phone.files.walk("/data/app")}
    install(build())
    uid = phone.packages[NAME].uid
    assert sh(f"pm uninstall -k {NAME}") == "Success\n"
    assert phone.files.exists(f"/data/data/{NAME}")
    assert sh(f"pm list packages {NAME}") == ""
    assert sh(f"pm list packages -u {NAME}") == f"package:{NAME}\n"
    install(build("com.example.other"))
    install(build())
    assert phone.packages[NAME].uid == uid
    sh(f"pm uninstall {NAME}; pm uninstall com.example.other")
    left = {path for path, _ in phone.files.walk("/data") if "com.example" in path or "~~" in path}
    assert left <= before


def test_options(install: Install, sh):
    camera, location = "android.permission.CAMERA", "android.permission.ACCESS_FINE_LOCATION"
    assert install(build(testOnly=True), "-t --user 0").out == "Success\n"
    assert install(build(version=2, permissions=(camera, location)), "-g -i com.a").status == 0
    dump = sh(f"dumpsys package {NAME}")
    assert f"{camera}: granted=true" in dump
    assert f"{location}: granted=true" in dump
    assert "installerPackageName=com.a\n" in dump
    assert install(build(version=1), "-d").out == "Success\n"


def test_an_instrumentation_is_listed(install: Install, sh):
    install(build("com.example.test", instrumentation=f"androidx.test.Runner {NAME}"))
    line = f"instrumentation:com.example.test/androidx.test.Runner (target={NAME})\n"
    assert sh("pm list instrumentation") == line
    assert sh(f"pm list instrumentation {NAME}") == line
    assert sh("pm list instrumentation org.nobody") == ""


VMDL = r"/data/app/vmdl\d+.tmp/base.apk"
REFUSALS = {
    "for tests": (build(testOnly=True), "", "INSTALL_FAILED_TEST_ONLY: .*"),
    "older": (build(version=1), "", "INSTALL_FAILED_VERSION_DOWNGRADE: .* 1 .* than current 2"),
    "again": (build(version=2), "-R", f"INSTALL_FAILED_ALREADY_EXISTS: .* re-install {NAME} .*"),
    "other signer": (
        build(version=2, signer="Bob"),
        "",
        f"INSTALL_FAILED_UPDATE_INCOMPATIBLE: Existing package {NAME} signatures do not match .*",
    ),
    "app of the phone": (build("org.demo"), "", "INSTALL_FAILED_UPDATE_INCOMPATIBLE: .*"),
    "unsigned": (build(signer=None), "", f"INSTALL_PARSE_FAILED_NO_CERTIFICATES: .* {VMDL}: .*"),
    "for newer Androids": (
        build(sdk=(35, 35)),
        "",
        rf"INSTALL_FAILED_OLDER_SDK: .*{VMDL} \(at .* #7\): .* version #35 .* version is #34\)",
    ),
    "outdated": (build(sdk=(8, 8)), "", "INSTALL_FAILED_DEPRECATED_SDK_VERSION: .* 23, .* 8"),
    "for other processors": (
        build(files={"lib/armeabi-v7a/liba.so": b""}),
        "",
        "INSTALL_FAILED_NO_MATCHING_ABIS: Failed to extract native libraries, res=-113",
    ),
    "unsaid": (
        build(inside=(Tag("activity", {"name": ".A"}, [Tag("intent-filter")]),)),
        "",
        "INSTALL_PARSE_FAILED_MANIFEST_MALFORMED: .*A: Targeting S\\+ .* android:exported .*",
    ),
    "no base": (build(split="one"), "", "INSTALL_FAILED_INVALID_APK: .* a base package"),
    "no splits": (build(isSplitRequired=True), "", "INSTALL_FAILED_MISSING_SPLIT: .*"),
}


@pytest.mark.parametrize(("apk", "options", "words"), REFUSALS.values(), ids=REFUSALS)
def test_refusals(install: Install, phone, apk: bytes, options: str, words: str):
    install(build(version=2))
    before = phone.packages.save()["installed"]
    said = install(apk, options)
    assert said.status == 1
    assert re.fullmatch(rf"Failure \[{words}\]\n", said.out), said.out
    assert phone.packages.save()["installed"] == before
    assert not [name for name in phone.files.listdir("/data/app") if name.startswith("vmdl")]


def test_a_storage_that_is_full_takes_nothing(install: Install, shell, phone):
    apk = build()
    phone.files.write(APK, apk)
    before, phone.files.size = phone.files.size, phone.files.used + len(apk) // 2
    try:
        said = shell(f"pm install {APK}")
        assert said == (
            1,
            "",
            "Error: failed to write; write failed: ENOSPC (No space left on device)\n",
        )
        assert NAME not in phone.packages
        assert not [name for name in phone.files.listdir("/data/app") if "vmdl" in name]
    finally:
        phone.files.size = before
    assert shell(f"pm install {APK}").out == "Success\n"


def test_splits_are_installed_together_and_added_later(sh, shell, phone):
    def write(session: str, name: str, apk: bytes) -> str:
        phone.files.write(APK, apk)
        return sh(f"cat {APK} | pm install-write -S {len(apk)} {session} {name} -")

    def create(options: str = "") -> str:
        said = sh(f"pm install-create {options}")
        match = re.fullmatch(r"Success: created install session \[(\d+)\]\n", said)
        assert match
        return match[1]

    session = create("-S 1000")
    base = build()
    assert write(session, "base", base) == f"Success: streamed {len(base)} bytes\n"
    write(session, "ko", build(split="config.ko"))
    assert sh(f"pm install-commit {session}") == "Success\n"
    files = [line.rpartition("/")[2] for line in sh(f"pm path {NAME}").splitlines()]
    assert files == ["base.apk", "split_config.ko.apk"]
    session = create(f"-p {NAME}")
    write(session, "more", build(split="more"))
    assert sh(f"pm install-commit {session}") == "Success\n"
    files = [line.rpartition("/")[2] for line in sh(f"pm path {NAME}").splitlines()]
    assert files == ["base.apk", "split_config.ko.apk", "split_more.apk"]
    assert "splits=[base, config.ko, more]" in sh(f"dumpsys package {NAME}")
    session = create()
    write(session, "base", base)
    write(session, "other", build("com.example.other", split="one"))
    said = shell(f"pm install-commit {session}").out
    assert "INSTALL_FAILED_INVALID_APK: " in said
    assert f"other package com.example.other inconsistent with {NAME}" in said


def test_a_session_can_be_given_up(sh, shell, phone):
    session = sh("pm install-create").strip()[-11:].strip("[]").rpartition("[")[2]
    assert sh(f"pm install-abandon {session}") == "Success\n"
    said = shell(f"pm install-commit {session}")
    assert f"SecurityException: Caller has no access to session {session}" in said.err


def test_snapshots_hold_packages_and_sessions(install: Install, sh, phone):
    install(build(version=1))
    session = sh("pm install-create").strip().rpartition("[")[2].rstrip("]")
    phone.snapshots.save("one")
    install(build(version=2))
    install(build("com.example.other"))
    sh(f"am start {NAME}")
    phone.snapshots.save("two")
    phone.snapshots.load("default_boot")
    assert sh("pm list packages example") == ""
    phone.snapshots.load("one")
    assert sh("pm list packages --show-versioncode example") == f"package:{NAME} versionCode:1\n"
    assert "Failure" not in sh(f"pm install-abandon {session}")
    phone.snapshots.add("copy", phone.snapshots.dump("two"))
    phone.snapshots.load("copy")
    assert phone.packages.app(NAME).version_code == 2
    assert phone.activities.top.package == NAME
    assert "com.example.other" in phone.packages
