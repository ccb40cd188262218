"""The radios: Wi-Fi, Bluetooth, mobile data, the networks there are, and their traffic."""

from __future__ import annotations

from pytest_mobileagent.virtual.shell.android.service import (
    Answer,
    Arguments,
    Context,
    Refused,
    Service,
    fill,
)

MAC = "MAC: 02:15:b2:00:00:00"
NO_WIFI = (
    f"SSID: <unknown ssid>, BSSID: <none>, {MAC}, IP: null, Security type: -1, Supplicant state:"
    " DISCONNECTED, RSSI: -127, Link speed: -1Mbps, Net ID: -1, Metered hint: false, score: 0"
)
SSID = 'SSID: "AndroidWifi", BSSID: 00:13:10:85:fe:01'
WIFI = (
    f"{SSID}, {MAC}, IP: /10.0.2.16, Security type: 0, Supplicant state: COMPLETED, Wi-Fi"
    " standard: 4, RSSI: -50, Link speed: 1Mbps, Tx Link speed: 1Mbps, Frequency: 2447MHz,"
    " Net ID: 0, Metered hint: false, score: 60"
)
HOUR = 3600
wifi = Service("wifi", interface="android.net.wifi.IWifiManager")
bluetooth = Service("bluetooth_manager")
phone = Service("phone", interface="com.android.internal.telephony.ITelephony")
connectivity = Service("connectivity", interface="android.net.IConnectivityManager")


@wifi.dump
def dump_wifi(ctx: Context, _: list[str]) -> str:
    """Tell whether Wi-Fi is on, and to what it is connected."""
    on = ctx.phone.radios.wifi
    return fill(
        "wifi",
        phone=ctx.phone,
        state="enabled" if on else "disabled",
        info=WIFI if on else NO_WIFI,
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
    """Tell whether Wi-Fi is on."""
    scanning = "Wifi scanning is only available when wifi is enabled\n"
    if not ctx.phone.radios.wifi:
        return f"Wifi is disabled\n{scanning}"
    return (
        f"Wifi is enabled\n{scanning}==== Primary ClientModeManager instance ====\n"
        f'Wifi is connected to "AndroidWifi"\nWifiInfo: {SSID}\n'
    )


@bluetooth.dump
def dump_bluetooth(ctx: Context, _: list[str]) -> str:
    """Tell whether Bluetooth is on."""
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
    """Tell which networks there are, and which is the default."""
    radios = ctx.phone.radios
    agents: list[tuple[int, str, str, str]] = []
    if radios.wifi:
        agents.append((100, "WIFI[]", "WIFI", "wlan0"))
    if radios.data and not radios.airplane:
        agents.append((101, "MOBILE[LTE]", "CELLULAR", "rmnet0"))
    networks = "".join(
        f"  NetworkAgentInfo{{network{{{number}}}  handle{{{number << 32 | 0xCAFE}}}"
        f"  ni{{{kind} CONNECTED extra: }} Score(Policies : EVER_VALIDATED&IS_VALIDATED)"
        f"  created=1  lastValidated  lp{{{{InterfaceName: {interface}"
        " LinkAddresses: [ 10.0.2.16/24 ] DnsAddresses: [ /10.0.2.3 ]}}"
        f"  nc{{[ Transports: {transport}"
        " Capabilities: INTERNET&NOT_RESTRICTED&TRUSTED&NOT_VPN&VALIDATED]}}\n"
        for number, kind, transport, interface in agents
    )
    return fill("connectivity", default=agents[0][0] if agents else "none", networks=networks)


@connectivity.command("airplane-mode")
def airplane_mode(ctx: Context, args: Arguments) -> Answer:
    """Show or switch airplane mode."""
    wanted = args.next()
    if wanted is None:
        on = ctx.phone.settings.on("global", "airplane_mode_on")
        return "enabled\n" if on else "disabled\n"
    if wanted not in ("enable", "disable"):
        raise Refused(f"Unknown argument: {wanted}", out=True)
    ctx.phone.radios.set_airplane(wanted == "enable")
    return 0


@Service("netstats", interface="android.net.INetworkStatsService").dump
def dump_traffic(ctx: Context, _: list[str]) -> str:
    """Tell the networks, and the bytes of this hour: none, as pages come from the phone itself."""
    names = [*("wlan0",) * ctx.phone.radios.wifi, *("rmnet0",) * ctx.phone.radios.data]
    start = int(ctx.phone.clock.time()) // HOUR * HOUR
    bucket = f"      bucketDuration={HOUR}\n      st={start} rb=0 rp=0 tb=0 tp=0 op=0\n"
    interfaces = "".join(f"  iface={name} ident=[{{type={at}}}]\n" for at, name in enumerate(names))
    blocks = "".join(
        f"{kind} stats:\n  Pending bytes: 0\n  History since boot:\n"
        f"  ident=[{{type=1}}] uid=-1 set=ALL tag=0x0\n    NetworkStatsHistory:\n{bucket}"
        for kind in ("Dev", "Xt", "UID")
    )
    return f"Active interfaces:\n{interfaces}Active UID interfaces:\n{interfaces}{blocks}"
