"""Tests of recipes: what they may contain, and how an invalid value is reported."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_mobileagent.device.recipe import Recipe, RecipeError, read_recipe

if TYPE_CHECKING:
    from collections.abc import Callable

HEAD = 'name = "a"\nimage = "system-images;android-34;google_apis;x86_64"\ndevice = "pixel_6"\n'
EXAMPLES = Path(__file__).parents[2] / "fixtures" / "avds"


@pytest.fixture
def recipe(tmp_path: Path) -> Callable[..., Recipe]:
    def read(text: str, **options: str):
        file = tmp_path / "a.toml"
        file.write_text(text)
        return read_recipe(file, **options)

    return read


def test_recipe_has_defaults_and_a_complete_one_is_parsed(recipe, tmp_path):
    read = recipe(HEAD)
    assert (read.name, read.device, read.snapshot) == ("a", "pixel_6", "default_boot")
    assert recipe(HEAD, name="b").name == "b"
    (tmp_path / "app.apk").touch()
    read = recipe(
        HEAD
        + """
snapshot = "ready"
accept_licenses = true
ram_mb = 4096
storage_gb = 8
locale = "ko-KR"
gpu = "host"
apks = ["app.apk"]

[permissions]
"com.example.app" = ["android.permission.CAMERA", "android.permission.RECORD_AUDIO"]

[settings.global]
auto_time = 0

[settings.system]
font_scale = 1.3

[[files]]
from = "app.apk"
to = "/sdcard/Download/app.apk"
"""
    )
    apk = tmp_path / "app.apk"
    assert (read.snapshot, read.locale, read.gpu) == ("ready", "ko-KR", "host")
    assert read.apks == ((apk,),)
    assert read.permissions[1] == ("com.example.app", "android.permission.RECORD_AUDIO")
    assert read.settings == (("global", "auto_time", "0"), ("system", "font_scale", "1.3"))
    assert read.files == ((apk, "/sdcard/Download/app.apk"),)


def test_folder_stands_for_its_apps(recipe, tmp_path):
    for name in ("shop.apk", "notes.apk", "maps/base.apk", "maps/config.x86_64.apk", "list.txt"):
        file = tmp_path / "apks" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()
    read = recipe(HEAD + 'apks = ["apks"]')
    apps = [[str(part.relative_to(tmp_path / "apks")) for part in app] for app in read.apks]
    assert apps == [["maps/base.apk", "maps/config.x86_64.apk"], ["notes.apk"], ["shop.apk"]]
    (tmp_path / "apks" / "empty").mkdir()
    with pytest.raises(RecipeError, match=r"apks\[0\] = 'apks': .*empty contains no APK"):
        recipe(HEAD + 'apks = ["apks"]')


@pytest.mark.parametrize("file", [*EXAMPLES.glob("*.toml")], ids=lambda file: file.stem)
def test_example_recipes_are_valid(file):
    assert read_recipe(file).name == file.stem


def test_recipe_in_the_docs_is_valid(recipe, tmp_path):
    page = (EXAMPLES.parents[1] / "docs" / "devices.md").read_text("utf-8")
    (text,) = re.findall(r"```toml\n(.*?)```", page, re.DOTALL)
    for path in ("apks", "photos"):
        (tmp_path / path).mkdir()
    (tmp_path / "apks" / "notes.apk").touch()
    assert recipe(text).files == ((tmp_path / "photos", "/sdcard/Pictures"),)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("name = ", "Invalid value"),
        ('name = "a"', "image is missing"),
        (HEAD + 'snapshoot = "x"', "snapshoot is not a key of a recipe; did you mean snapshot?"),
        (HEAD.replace('"a"', '"a b"'), "name = 'a b' must be a string"),
        (HEAD.replace("system-images;", ""), "image = 'android-34;google_apis;x86_64' must be"),
        (HEAD + "ram_mb = true", "ram_mb = True must be a whole number from 512 to"),
        (HEAD + "storage_gb = 0", "storage_gb = 0 must be a whole number from 1 to 1024"),
        (HEAD + 'accept_licenses = "yes"', "accept_licenses = 'yes' must be true or false"),
        (HEAD + 'locale = "korean"', "locale = 'korean' must be a string: as in ko-KR"),
        (HEAD + 'gpu = "none"', "gpu = 'none' must be a string: software or host"),
        (HEAD + 'snapshot = "a\\nkill"', r"snapshot = 'a\nkill' must be a string"),
        (HEAD + 'apks = ["~no.such.user/a.apk"]', "apks[0] = '~no.such.user/a.apk': that user has"),
        (HEAD + 'apks = "app.apk"', "apks = 'app.apk' must be a list of APK files, or folders"),
        (HEAD + 'apks = ["nope.apk"]', "nope.apk does not exist"),
        (HEAD + "permissions = 1", "permissions = 1 must be a table"),
        (HEAD + '[permissions]\n"a.b" = "x"', "permissions.a.b = 'x' must be a list"),
        (HEAD + '[permissions]\n"a.b" = ["x; id"]', "permissions.a.b[0] = 'x; id' must be"),
        (HEAD + "[settings.local]\na = 1", "settings.local is not one of global, secure, system"),
        (HEAD + "[settings.global]\na = true", "settings.global.a = True must be a string or"),
        (HEAD + "[[files]]\nfrom = 'x'", "files[0] must have `from` and `to`, not from"),
        (HEAD + "[[files]]\nfrom = '.'\nto = 'x'", "files[0].to = 'x' must be an absolute path"),
        (HEAD + "[[files]]\nfrom = 'nope'\nto = '/x'", "files[0].from = 'nope': "),
    ],
)
def test_invalid_value_error_names_file_and_key(recipe, tmp_path, text, problem):
    with pytest.raises(RecipeError) as wrong:
        recipe(text)
    assert f"{tmp_path / 'a.toml'}: " in str(wrong.value)
    assert problem in str(wrong.value)


def test_a_file_that_does_not_exist_is_named(tmp_path):
    with pytest.raises(RecipeError, match=r"nope\.toml: .*No such file"):
        read_recipe(tmp_path / "nope.toml")
