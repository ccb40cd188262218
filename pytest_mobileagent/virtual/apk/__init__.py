"""Reads APKs: the manifest, the resources and the signature."""

from __future__ import annotations

from pytest_mobileagent.virtual.apk.archive import Apk, read_apk
from pytest_mobileagent.virtual.apk.manifest import BadApk, Component, Instrumentation, Manifest

__all__ = ["Apk", "BadApk", "Component", "Instrumentation", "Manifest", "read_apk"]
