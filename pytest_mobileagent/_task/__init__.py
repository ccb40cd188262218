"""Declare tasks: goals, templates, tables of tasks and scripted solutions."""
