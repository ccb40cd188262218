"""Android's own commands, and the services behind them.

A command is a function with `@command("NAME")` in any module of this package. A service is an
object, `Service("NAME")`, in services/NAME.py or in a module with similar services: `@service.dump`
defines the output of dumpsys, `@service.command("VERB")` a command of cmd, and
`@service.call("NUMBER")` a transaction of `service call`. Its help is in help/NAME.txt; `fill`
returns dumpsys/NAME.txt with values filled in. Commands parse their options with `args.options`,
and raise `Refused` with a message if they fail.
"""
