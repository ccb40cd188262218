"""The phone's languages from the shell."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.fixture
def root(sh: Callable[[str], str]) -> Callable[[str], str]:
    return lambda script: sh(f"su 0 sh -c '{script}'")


def test_a_new_language_is_spoken_once_android_starts_anew(phone, hand, sh, root):
    root("setprop persist.sys.locale ko-KR")
    assert phone.locales.current.tag == "en-US"
    sh("am start org.demo/.NotesActivity")
    root("setprop ctl.restart zygote")
    assert phone.locales.current.tag == "ko-KR"
    assert phone.activities.top.package == phone.launcher
    assert not phone.proc.running("org.demo")
    assert "-ko-rKR-ldltr-" in sh("am get-config")


def test_the_setting_counts_more_than_the_property(phone, sh, root):
    root("setprop persist.sys.locale ko-KR")
    sh("settings put system system_locales ar-EG,en-US")
    root("setprop ctl.restart zygote")
    assert phone.locales.tags == ["ar-EG", "en-US"]
    assert "-ar-rEG,en-rUS-ldrtl-" in sh("am get-config")


@pytest.mark.parametrize("name", ["persist.sys.locale ko-KR", "ctl.restart zygote"])
def test_the_user_of_the_shell_may_not(shell, phone, name):
    key, value = name.split()
    error = f"setprop: Failed to set property '{key}' to '{value}'.\nSee dmesg for error reason.\n"
    assert shell(f"setprop {name}") == (1, "", error)
    assert phone.locales.current.tag == "en-US"


def test_an_app_may_have_a_language_of_its_own(phone, sh):
    assert sh("cmd locale get-app-locales org.demo") == "Locales for org.demo for user 0 are []\n"
    sh("cmd locale set-app-locales org.demo --locales fr-FR,en-US")
    assert sh("cmd locale get-app-locales org.demo") == (
        "Locales for org.demo for user 0 are [fr-FR,en-US]\n"
    )
    assert phone.packages.app("org.demo").t("Cancel") == "Annuler"
    assert phone.packages.app(phone.launcher).t("Cancel") == "Cancel"
    sh("cmd locale set-app-locales org.demo --user 0")
    assert phone.packages.app("org.demo").t("Cancel") == "Cancel"


def test_the_configuration_is_written_as_qualifiers(phone, sh):
    sh("wm size 1280x800; wm density 160; cmd uimode night yes")
    phone.locales.change(["zh-Hans-CN"])
    assert sh("am get-config").splitlines()[0] == (
        "config: mcc310-mnc260-b+zh+Hans+CN-ldltr-sw800dp-w1280dp-h800dp-xlarge-notlong-"
        "notround-lowdr-nowidecg-land-night-mdpi-finger-keysexposed-qwerty-navhidden-nonav-"
        "1280x800-v34"
    )
