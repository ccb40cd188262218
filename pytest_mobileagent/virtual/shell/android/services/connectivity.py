"""The networks that there are."""

from __future__ import annotations

from pytest_mobileagent.virtual.shell.android.service import (
    Answer,
    Arguments,
    Context,
    Refused,
    Service,
)

service = Service(
    "connectivity",
    "Connectivity service commands:\n  airplane-mode [enable|disable]",
    interface="android.net.IConnectivityManager",
)


@service.dump
def dump(ctx: Context, _: list[str]) -> str:
    """Tell which networks there are, and which is the default."""
    radios = ctx.phone.radios
    agents: list[tuple[int, str, str, str]] = []
    if radios.wifi:
        agents.append((100, "WIFI", "", "wlan0"))
    if radios.data and not radios.airplane:
        agents.append((101, "MOBILE", "LTE", "rmnet0"))
    default = f"{agents[0][0]}" if agents else "none"
    listed = "".join(
        f"  NetworkAgentInfo{{network{{{number}}}  handle{{{number << 32 | 0xCAFE}}}"
        f"  ni{{{kind}[{sub}] CONNECTED extra: }} Score(Policies : EVER_VALIDATED&IS_VALIDATED)"
        f"  created=1  lastValidated  lp{{{{InterfaceName: {interface}"
        " LinkAddresses: [ 10.0.2.16/24 ] DnsAddresses: [ /10.0.2.3 ]}}"
        f"  nc{{[ Transports: {'WIFI' if kind == 'WIFI' else 'CELLULAR'}"
        " Capabilities: INTERNET&NOT_RESTRICTED&TRUSTED&NOT_VPN&VALIDATED]}}\n"
        for number, kind, sub, interface in agents
    )
    return (
        "NetworkProviders for: WifiNetworkFactory TelephonyNetworkFactory\n\n"
        f"Active default network: {default}\n\nCurrent network preferences:\n\n"
        f"Current Networks:\n{listed}\nStatus for known UIDs:\n"
    )


@service.command("airplane-mode")
def airplane_mode(ctx: Context, args: Arguments) -> Answer:
    """Show or switch airplane mode."""
    radios, wanted = ctx.phone.radios, args.next()
    if wanted is None:
        on = ctx.phone.settings.on("global", "airplane_mode_on")
        return "enabled\n" if on else "disabled\n"
    if wanted not in ("enable", "disable"):
        raise Refused(f"Unknown argument: {wanted}", out=True)
    radios.set_airplane(wanted == "enable")
    return 0
