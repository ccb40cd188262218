"""What is asked: tasks, templates, solutions."""
