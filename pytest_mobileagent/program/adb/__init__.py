"""Lends the leased phone to a program through a separate adb server and a recording adbd."""
