"""Reads Android's packages: the manifest, the resources and the signature of an APK."""

from __future__ import annotations

from pytest_mobileagent.virtual.apk.archive import Apk, read_apk
from pytest_mobileagent.virtual.apk.manifest import BadApk, Component, Instrumentation, Manifest

__all__ = ["Apk", "BadApk", "Component", "Instrumentation", "Manifest", "read_apk"]
