"""The radios, the phone line and its calls, networks, and volumes."""

from __future__ import annotations

from pytest_mobileagent.virtual.shell.android.service import (
    FAILED,
    Arguments,
    Context,
    Refused,
    Service,
    fill,
)
from pytest_mobileagent.virtual.system.hardware import STREAMS

HOUR = 3600
wifi = Service("wifi", interface="android.net.wifi.IWifiManager")
bluetooth = Service("bluetooth_manager")
phone = Service("phone", interface="com.android.internal.telephony.ITelephony")
connectivity = Service("connectivity", interface="android.net.IConnectivityManager")
policy = Service("netpolicy", interface="android.net.INetworkPolicyManager")


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


@policy.command("get")
def network_policy(ctx: Context, args: Arguments) -> str:
    """Print whether Data Saver is on."""
    _background(args)
    return f"Restrict background status: {'en' if ctx.phone.radios.data_saver else 'dis'}abled\n"


@policy.command("set")
def set_network_policy(ctx: Context, args: Arguments) -> None:
    """Switch Data Saver; every word but "true" means "false", as in Java."""
    _background(args)
    if (wanted := args.next()) is None:
        raise Refused("Error: didn't specify BOOLEAN", FAILED, out=True)
    ctx.phone.radios.set_data_saver(wanted.lower() == "true")


def _background(args: Arguments) -> None:
    """Take the only kind of policy that is known here."""
    verb, what = args.last, args.next()
    if what is None:
        raise Refused(f"Error: didn't specify type of data to {verb}", FAILED, out=True)
    if what != "restrict-background":
        raise Refused(f"Error: unknown {verb} type '{what}'", FAILED, out=True)


@Service("netstats", interface="android.net.INetworkStatsService").dump
def dump_traffic(ctx: Context, _: list[str]) -> str:
    """List the networks, and this hour's traffic: none, as pages come from the phone itself."""
    names = [*("wlan0",) * ctx.phone.radios.wifi, *("rmnet0",) * ctx.phone.radios.data]
    interfaces = "".join(f"  iface={name} ident=[{{type={at}}}]\n" for at, name in enumerate(names))
    start = int(ctx.phone.clock.time()) // HOUR * HOUR
    return fill("netstats", interfaces=interfaces, start=start)


CALL_STATES = {"IDLE": 0, "RINGING": 1, "OFFHOOK": 2}
RINGER = {"0": "SILENT", "1": "VIBRATE"}
CALL_MODES = {"IDLE": "MODE_NORMAL", "RINGING": "MODE_RINGTONE", "OFFHOOK": "MODE_IN_CALL"}


@Service("telephony.registry", interface="com.android.internal.telephony.ITelephonyRegistry").dump
def line(ctx: Context, _: list[str]) -> str:
    """Describe the state of the line and the network."""
    phone, radios = ctx.phone, ctx.phone.radios
    off = radios.airplane
    call, now = phone.telephony.call, phone.telephony.state
    return fill(
        "telephony.registry",
        phone=phone,
        call_state=CALL_STATES[now],
        ringing=int(now == "RINGING"),
        talking=int(now == "OFFHOOK"),
        number=call.number if call and call.incoming else "",
        state=3 if off else 0,
        word="POWER_OFF" if off else "IN_SERVICE",
        operator="" if off else phone.props.get("gsm.operator.alpha", ""),
        data=2 if radios.data and not off else 0,
    )


@Service("telecom", interface="com.android.internal.telecom.ITelecomService").dump
def calls(ctx: Context, _: list[str]) -> str:
    """Describe the current call."""
    call, shown = ctx.phone.telephony.call, ""
    if call:
        begun = "RINGING" if call.incoming else "DIALING"
        state = ("ON_HOLD" if call.held else "ACTIVE") if call.active else begun
        stars = "*" * max(len(call.number) - 2, 0)
        shown = fill("telecom_call", state=state, number=f"{stars}{call.number[-2:]}")
    route = "SPEAKER" if call and call.speaker else "EARPIECE"
    return fill("telecom", calls=shown, muted=bool(call and call.muted), route=route)


@Service("audio", interface="android.media.IAudioService").dump
def volumes(ctx: Context, _: list[str]) -> str:
    """Describe the volumes and the ringer mode."""
    phone = ctx.phone
    streams = "".join(
        fill("audio_stream", stream=stream, now=now, muted=now == 0)
        for stream, now in ((each, phone.audio.volume(each)) for each in STREAMS)
    )
    mode = RINGER.get(phone.settings.text("global", "mode_ringer", "2"), "NORMAL")
    return fill("audio", streams=streams, mode=mode, call=CALL_MODES[phone.telephony.state])


CONNECTING = "[v] Connecting to AudioService\n"
MUSIC = "3"
SESSIONS = "android.media.session.ISessionManager"
service = Service("media_session", script="media", interface=SESSIONS)


@service.command("volume")
def volume(ctx: Context, args: Arguments) -> str:
    """Set or print a volume."""
    options = args.options(
        ("--set", "--stream"),
        ("--get", "--show"),
        lambda option: Refused(f"Error: unknown option {option}", 1),
    )
    number = options.get("--stream", MUSIC)
    stream = next((each for each in STREAMS if str(each.number) == number), None)
    if stream is None:
        raise Refused(f"Error: invalid stream {number}", 1)
    span = f"[{stream.low}..{stream.high}]"
    said = f"[v] will control stream={number} ({stream.name})\n"
    if value := options.get("--set"):
        said += f"[v] will set volume to index={value}\n{CONNECTING}"
        if not value.isdecimal() or not stream.low <= int(value) <= stream.high:
            words = f"invalid volume index {value} for stream {number} (should be in {span})"
            return f"{said}Error: {words}\n"
        ctx.phone.audio.set(stream, int(value))
    if "--get" in options:
        now = ctx.phone.audio.volume(stream)
        said += f"[v] will get volume\n{CONNECTING}[v] volume is {now} in range {span}\n"
    return said
