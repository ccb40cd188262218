"""What agents are shown of a screen: marks, drawings, lists, HTML, icons, scaled pictures."""
