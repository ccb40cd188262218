"""Power, restart and reboot."""
