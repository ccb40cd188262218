"""Reading APKs: manifest, resources and signature."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_mobileagent.virtual.apk import BadApk, Instrumentation, read_apk
from pytest_mobileagent.virtual.apk.binary import parse
from tests.virtual.apks import Tag, binary_xml, build, entry, zipped


@pytest.mark.parametrize("utf8", [True, False])
def test_a_manifest_is_read_whole(utf8: bool) -> None:
    apk = read_apk(
        build(
            version=7,
            label={"": "Example", "ko": "예제"},
            permissions=("android.permission.CAMERA", "android.permission.CAMERA"),
            inside=(
                entry(".Main", label="Start here"),
                Tag("activity", {"name": "org.other.Hidden", "enabled": False}),
                Tag("service", {"name": ".Worker"}),
                Tag("receiver", {"name": "Listener"}),
                Tag("provider", {"name": ".Rows"}),
            ),
            instrumentation="androidx.test.Runner com.example.target",
            utf8=utf8,
            debuggable=True,
        ),
        "x.apk",
    )
    manifest = apk.manifest
    assert (manifest.package, manifest.version_code, manifest.version_name) == (
        "com.example.app",
        7,
        "7.0",
    )
    assert (manifest.min_sdk, manifest.target_sdk, manifest.label) == (24, 34, "Example")
    assert (manifest.debuggable, manifest.test_only) == (True, False)
    assert manifest.permissions == ("android.permission.CAMERA",)
    main, hidden = manifest.activities
    assert (main.name, main.label, main.exported) == ("com.example.app.Main", "Start here", True)
    assert main.filters[0].actions == ("android.intent.action.MAIN",)
    assert main.filters[0].categories == ("android.intent.category.LAUNCHER",)
    assert (hidden.name, hidden.exported, hidden.enabled) == ("org.other.Hidden", False, False)
    assert [each.name for each in manifest.services] == ["com.example.app.Worker"]
    assert [each.name for each in manifest.receivers] == ["com.example.app.Listener"]
    assert [each.name for each in manifest.providers] == ["com.example.app.Rows"]
    assert manifest.instrumentations == (
        Instrumentation("androidx.test.Runner", "com.example.target"),
    )


def test_icons_native_code_and_signers() -> None:
    files = {"res/icon.png": b"a picture", "lib/x86_64/liba.so": b"", "lib/arm64-v8a/liba.so": b""}
    apk = read_apk(build(icon="res/icon.png", files=files), "x.apk")
    assert apk.icon == b"a picture"
    assert apk.abis == {"x86_64", "arm64-v8a"}
    again, other, nobody = (
        read_apk(build(signer=name), "x.apk").certificate for name in ("Ann", "Bob", None)
    )
    assert apk.certificate == again
    assert other not in (again, None)
    assert nobody is None


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"", "INSTALL_PARSE_FAILED_NOT_APK"),
        (b"PK\3\4 no archive", "INSTALL_PARSE_FAILED_NOT_APK"),
        (zipped({"a": b""}), "INSTALL_PARSE_FAILED_UNEXPECTED_EXCEPTION"),
        (zipped({"AndroidManifest.xml": b"<x/>"}), "INSTALL_PARSE_FAILED_UNEXPECTED_EXCEPTION"),
        (
            zipped({"AndroidManifest.xml": binary_xml(Tag("nothing"))}),
            "INSTALL_PARSE_FAILED_MANIFEST_MALFORMED",
        ),
    ],
)
def test_invalid_apks(data: bytes, code: str) -> None:
    with pytest.raises(BadApk) as caught:
        read_apk(data, "x.apk")
    assert caught.value.code == code


@given(st.text(min_size=1, max_size=60), st.sampled_from([0, 1, 127, 128, 8000]), st.booleans())
def test_texts_of_any_length_and_script_come_back(text: str, size: int, utf8: bool) -> None:
    text = (text * size)[:size].encode("utf-8", "replace").decode()
    assert parse(binary_xml(Tag("a", {"b": text}), utf8=utf8)).attributes["b"] == text


@given(st.data())
def test_a_damaged_apk_is_refused_in_order(data: st.DataObject) -> None:
    whole = bytearray(binary_xml(Tag("manifest", {"package": "a.b", "versionCode": 1})))
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(whole) - 1))
        whole[at] = data.draw(st.integers(0, 255))
    with contextlib.suppress(BadApk):
        read_apk(zipped({"AndroidManifest.xml": bytes(whole)}), "x.apk")


def test_apks_of_other_makers() -> None:
    home = os.environ.get("APPIUM_HOME")
    apks = sorted(Path(home).glob("node_modules/*/node_modules/*/apks/*.apk")) if home else []
    if not apks:
        pytest.skip("no APPIUM_HOME with Appium's own APKs")
    read = [read_apk(path.read_bytes(), path.name) for path in apks]
    names = {apk.manifest.package: apk.manifest.label for apk in read}
    assert names["io.appium.settings"] == "Appium Settings"
    assert all(apk.certificate for apk in read)
