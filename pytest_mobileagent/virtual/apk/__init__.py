"""Reads Android's packages: the manifest, the resources and the signature of an APK."""

from __future__ import annotations

from pytest_mobileagent.virtual.apk.archive import Apk, read_apk
from pytest_mobileagent.virtual.apk.errors import BadApk
from pytest_mobileagent.virtual.apk.manifest import Component, Instrumentation, Manifest

__all__ = ["Apk", "BadApk", "Component", "Instrumentation", "Manifest", "read_apk"]
