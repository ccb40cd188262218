"""Android's own commands, and the services behind them.

A command is a function with `@command("NAME")` in any module of this room. A service is one object,
`Service("NAME", HELP)` in services/NAME.py (a large one goes on in NAME_*.py): `@service.dump` is
what dumpsys prints, `@service.command("VERB")` what cmd runs, `@service.call("NUMBER")` the rest.
"""
