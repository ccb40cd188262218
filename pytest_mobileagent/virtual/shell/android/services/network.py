"""The radios: Wi-Fi, Bluetooth and mobile data, the available networks, and their traffic."""

from __future__ import annotations

from pytest_mobileagent.virtual.shell.android.service import (
    Arguments,
    Context,
    Refused,
    Service,
    fill,
)

HOUR = 3600
wifi = Service("wifi", interface="android.net.wifi.IWifiManager")
bluetooth = Service("bluetooth_manager")
phone = Service("phone", interface="com.android.internal.telephony.ITelephony")
connectivity = Service("connectivity", interface="android.net.IConnectivityManager")


@wifi.dump
def dump_wifi(ctx: Context, _: list[str]) -> str:
    """Describe whether Wi-Fi is on, and its network."""
    on = ctx.phone.radios.wifi
    return fill(
        "wifi",
        phone=ctx.phone,
        state="enabled" if on else "disabled",
        info=fill("wifi_on" if on else "wifi_off"),
        current="L3ConnectedState" if on else "DisabledState",
        stored=ctx.phone.settings.text("global", "wifi_on"),
    )


@wifi.command("set-wifi-enabled")
def set_wifi(ctx: Context, args: Arguments) -> None:
    """Switch Wi-Fi."""
    wanted = args.required()
    if wanted not in ("enabled", "disabled"):
        raise Refused(f"Invalid args to set-wifi-enabled: {wanted}")
    ctx.phone.radios.set_wifi(wanted == "enabled", package="com.android.shell", uid=ctx.uid)


@wifi.command("status")
def wifi_status(ctx: Context, _: Arguments) -> str:
    """Print whether Wi-Fi is on."""
    return fill("wifi_status_on" if ctx.phone.radios.wifi else "wifi_status_off")


@bluetooth.dump
def dump_bluetooth(ctx: Context, _: list[str]) -> str:
    """Describe whether Bluetooth is on."""
    name = ctx.phone.settings.text("secure", "bluetooth_name")
    state = "ON" if ctx.phone.radios.bluetooth else "OFF"
    return fill("bluetooth_manager", phone=ctx.phone, state=state, name=name)


@bluetooth.command("enable", "disable")
def set_bluetooth(ctx: Context, args: Arguments) -> str:
    """Switch Bluetooth."""
    ctx.phone.radios.set_bluetooth(args.last == "enable")
    return f"{args.last.capitalize().removesuffix('e')}ing Bluetooth\n"


@phone.command("data")
def data(ctx: Context, args: Arguments) -> None:
    """Switch mobile data."""
    wanted = args.required()
    if wanted not in ("enable", "disable"):
        raise Refused("Data Commands:\n  enable\n  disable", out=True)
    ctx.phone.radios.set_data(wanted == "enable")


@connectivity.dump
def dump_networks(ctx: Context, _: list[str]) -> str:
    """List the available networks, and the default one."""
    radios = ctx.phone.radios
    agents: list[tuple[int, str, str, str]] = []
    if radios.wifi:
        agents.append((100, "WIFI[]", "WIFI", "wlan0"))
    if radios.data and not radios.airplane:
        agents.append((101, "MOBILE[LTE]", "CELLULAR", "rmnet0"))
    networks = "".join(
        fill(
            "connectivity_one",
            number=number,
            handle=number << 32 | 0xCAFE,
            kind=kind,
            transport=transport,
            interface=interface,
        )
        for number, kind, transport, interface in agents
    )
    return fill("connectivity", default=agents[0][0] if agents else "none", networks=networks)


@connectivity.command("airplane-mode")
def airplane_mode(ctx: Context, args: Arguments) -> str:
    """Print or switch airplane mode."""
    wanted = args.next()
    if wanted is None:
        on = ctx.phone.settings.on("global", "airplane_mode_on")
        return f"{'enabled' if on else 'disabled'}\n"
    if wanted not in ("enable", "disable"):
        raise Refused(f"Unknown argument: {wanted}", out=True)
    ctx.phone.radios.set_airplane(wanted == "enable")
    return ""


@Service("netstats", interface="android.net.INetworkStatsService").dump
def dump_traffic(ctx: Context, _: list[str]) -> str:
    """List the networks, and this hour's traffic: none, as pages come from the phone itself."""
    names = [*("wlan0",) * ctx.phone.radios.wifi, *("rmnet0",) * ctx.phone.radios.data]
    interfaces = "".join(f"  iface={name} ident=[{{type={at}}}]\n" for at, name in enumerate(names))
    start = int(ctx.phone.clock.time()) // HOUR * HOUR
    return fill("netstats", interfaces=interfaces, start=start)
