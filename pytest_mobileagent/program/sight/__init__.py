"""What a program may see of its phone (`--mobile-sees`), on every channel of the recorded adb."""
