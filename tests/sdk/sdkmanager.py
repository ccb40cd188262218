"""Android's `sdkmanager` command, limited to installing packages with accepted licences."""

from __future__ import annotations

import sys
from pathlib import Path

SDK = Path(__file__).parents[3]
KNOWN = {"emulator", "platform-tools", "system-images;android-34;google_apis;x86_64"}
LICENSE = SDK / "licenses" / "android-sdk-license"


def install(names: list[str]) -> int:
    for name in names:
        if name not in KNOWN:
            print(f"Warning: Failed to find package '{name}'", file=sys.stderr)
            return 1
    if not LICENSE.is_file():
        print("License android-sdk-license:\n---\nTerms and Conditions\n---")
        print("Accept? (y/N): ", end="", flush=True)
        if sys.stdin.readline().strip() != "y":
            print("Skipping following packages as the license is not accepted:")
            print("\n".join(names))
            return 1
        LICENSE.parent.mkdir(exist_ok=True)
        LICENSE.write_text("24333f8a63b6825ea9c5514f83c2829b004d1fee")
    for name in names:
        (SDK / name.replace(";", "/")).mkdir(parents=True, exist_ok=True)
    print("[=======================================] 100% Computing updates...")
    return 0


def main() -> int:
    words = [word for word in sys.argv[1:] if not word.startswith("--sdk_root")]
    if words and words[0] == "--install":
        words = words[1:]
    return install(words)


if __name__ == "__main__":
    sys.exit(main())
