"""The Android SDK: where it is, and its emulator."""
