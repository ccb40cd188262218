"""The files that `pm path` prints."""

from __future__ import annotations

import io
import zipfile

import pytest

from pytest_mobileagent.virtual.apk import read_apk


@pytest.mark.parametrize("package", ["com.android.systemui", "android", "org.demo"])
def test_every_path_leads_to_an_apk_that_says_whose_it_is(demo, package):
    path = demo.packages.path(package)
    data = demo.files.read(path)
    assert zipfile.ZipFile(io.BytesIO(data)).namelist() == ["AndroidManifest.xml"]
    assert read_apk(data, path).manifest.package == package


def test_an_app_that_leaves_takes_its_file_along(demo):
    path = demo.packages.path("org.demo")
    demo.packages.uninstall("org.demo")
    assert not demo.files.exists(path)
