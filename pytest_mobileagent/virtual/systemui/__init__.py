"""What the system draws around the apps: bars, shade, lock screen, wallpaper."""
