"""mobile_appium_home: the folder in which npm has installed Appium."""

from __future__ import annotations


def test_a_folder_without_appium_is_refused_with_how_to_install_it(refused, tmp_path):
    home = f"-omobile_appium_home={tmp_path}"
    said = refused("--mobile-driver=appium", home)
    assert f"there is no Appium in {tmp_path}: install it with `npm" in said


def test_in_the_ini_file_it_is_relative_to_that(project, refused):
    project.pytester.makeini("[pytest]\nmobile_appium_home = tools/appium")
    home = project.pytester.path / "tools" / "appium"
    assert f"there is no Appium in {home}" in refused("--mobile-driver=appium")
