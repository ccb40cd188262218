"""The phone's connections to the outside: adbd, the emulator console, and the adb server."""
