#!/usr/bin/env python3
"""Builds contracts.apk, the app that `mobileagent doctor --certify` installs, from the files here.

It needs Debian's packages aapt, android-framework-res, apksigner, smali (libsmali-java) and
zipalign, but no Android SDK. Each build is signed with a key that is made for it and thrown away,
so only the signature differs between two builds.
"""

from __future__ import annotations

import subprocess
import tempfile
import zipfile
from pathlib import Path

HERE = Path(__file__).parent
APK = HERE.parent / "pytest_mobileagent" / "device" / "certify" / "contracts.apk"
FRAMEWORK = "/usr/share/android-framework-res/framework-res.apk"
PASSWORD = "throw-away"  # noqa: S105 - of a key that exists only while this script runs
LEAST_SDK = "26"


def main() -> None:
    """Build the APK and check its signature."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        binary, code = folder / "manifest.apk", folder / "classes.dex"
        bare, aligned, key = folder / "bare.apk", folder / "aligned.apk", folder / "key"
        manifest = str(HERE / "AndroidManifest.xml")
        _run("aapt", "package", "-f", "-M", manifest, "-I", FRAMEWORK, "-F", str(binary))
        _run("smali", "assemble", "--api", LEAST_SDK, "-o", str(code), str(HERE / "Main.smali"))
        with zipfile.ZipFile(binary) as made, zipfile.ZipFile(bare, "w") as apk:
            for entry, data in (
                ("AndroidManifest.xml", made.read("AndroidManifest.xml")),
                ("classes.dex", code.read_bytes()),
            ):
                apk.writestr(zipfile.ZipInfo(entry), data, zipfile.ZIP_DEFLATED)
        _run("zipalign", "-f", "4", str(bare), str(aligned))
        words = "-genkeypair -alias a -keyalg EC -validity 36500 -dname CN=throw-away"
        _run("keytool", *words.split(), "-keystore", str(key), "-storepass", PASSWORD)
        signing = (
            "--v4-signing-enabled",
            "false",
            "--ks",
            str(key),
            "--ks-pass",
            f"pass:{PASSWORD}",
        )
        _run("apksigner", "sign", *signing, "--out", str(APK), str(aligned))
    _run("apksigner", "verify", "--min-sdk-version", LEAST_SDK, str(APK))


def _run(*words: str) -> None:
    subprocess.run(words, check=True)


if __name__ == "__main__":
    main()
