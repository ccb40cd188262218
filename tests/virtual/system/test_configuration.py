"""The phone's languages, and the translated texts of apps."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pytest_mobileagent.virtual.boot import boot
from pytest_mobileagent.virtual.sdk import Activity, App, Text, View

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_mobileagent.virtual.phone import Phone


class Main(Activity):
    name = ".Main"

    def content(self) -> View:
        return Text(self.t("{n} apples for {whom}", n=3, whom="{n}"), id="text")


class Fruit(App):
    package, label, activities = "com.example.fruit", "Fruit", (Main,)


@pytest.fixture
def phone() -> Phone:
    return boot([Fruit])


@pytest.fixture
def strings(phone: Phone, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(phone.packages.app("com.example.fruit"), "_folder", tmp_path)
    folder = tmp_path / "strings"
    folder.mkdir()
    return folder


def test_an_app_speaks_the_language_of_the_phone(phone: Phone, strings: Path) -> None:
    (strings / "ko.toml").write_text('"{n} apples for {whom}" = "{whom}에게 사과 {n}개"\n')
    phone.activities.launch("com.example.fruit")
    assert "3 apples for {n}" in phone.dump()
    phone.locales.change(["ko-KR"])
    assert "{n}에게 사과 3개" in phone.dump()
    assert phone.props["persist.sys.locale"] == "ko-KR"


def test_untranslated_text_stays_english_unless_the_next_language_has_it(
    phone: Phone, strings: Path
) -> None:
    (strings / "fr.toml").write_text('"Yes" = "Oui"\n')
    app = phone.packages.app("com.example.fruit")
    phone.locales.change(["ak-GH"])
    assert app.t("Yes") == "Yes"
    phone.locales.change(["ak-GH", "fr-CA"])
    assert (app.t("Yes"), app.t("No"), app.t("Cancel")) == ("Oui", "No", "Annuler")


def test_a_broken_translation_names_its_file(phone: Phone, strings: Path) -> None:
    (strings / "fr.toml").write_text("Yes = ")
    phone.locales.change(["fr-FR"])
    with pytest.raises(ValueError, match=r"fr\.toml: Invalid value"):
        phone.packages.app("com.example.fruit").t("Yes")


def test_a_snapshot_keeps_the_language(phone: Phone) -> None:
    phone.locales.change(["fr-FR"])
    phone.snapshots.load("default_boot")
    assert phone.locales.current.tag == "en-US"
    assert phone.settings.text("system", "system_locales") == ""


def test_a_stored_locale_is_taken_up_at_the_next_start(phone: Phone) -> None:
    phone.settings.put("system", "system_locales", "zh-hans-CN,en-US")
    assert phone.locales.current.tag == "en-US"
    phone.locales.start()
    assert phone.locales.tags == ["zh-Hans-CN", "en-US"]


def test_a_wrong_tag_is_refused(phone: Phone) -> None:
    with pytest.raises(ValueError, match="no language tag"):
        phone.locales.change(["../etc"])
