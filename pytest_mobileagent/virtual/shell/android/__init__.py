"""Android's own commands, and the services behind them.

A command is a function with `@command("NAME")` in any module of this room. A service is one object,
`Service("NAME")`, in services/NAME.py or in a module with others of its kind: `@service.dump` is
what dumpsys prints, `@service.command("VERB")` what cmd runs, `@service.call("NUMBER")` the rest.
Its help is help/NAME.txt; `fill` gives dumpsys/NAME.txt with its values put in. Commands read their
options with `args.options`, and raise `Refused` with what they say if they are not done.
"""
