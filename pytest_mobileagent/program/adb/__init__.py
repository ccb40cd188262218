"""The leased phone behind an adb server of the program's own, with a recording adbd in between."""
