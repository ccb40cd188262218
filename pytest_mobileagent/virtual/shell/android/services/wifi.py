"""Wi-Fi."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.shell.android.service import Arguments, Context, Refused, Service

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.phone import Phone

ADDRESS = "02:15:b2:00:00:00"
service = Service(
    "wifi",
    "Wi-Fi (wifi) commands:\n  set-wifi-enabled enabled|disabled\n  status\n  list-networks\n"
    "  list-scan-results\n  start-scan\n  get-country-code",
    interface="android.net.wifi.IWifiManager",
)


@service.dump
def dump(ctx: Context, _: list[str]) -> str:
    """Tell whether Wi-Fi is on, and to what it is connected."""
    on = ctx.phone.radios.wifi
    return (
        f"Wi-Fi is {'enabled' if on else 'disabled'}\n"
        f"Verbose logging is off\nmVerboseLoggingEnabled false\n"
        "Stay-awake conditions: 15\nmInIdleMode false\nmScanPending false\n"
        f"mWifiInfo {wifi_info(ctx.phone)}\n"
        f"curState={'L3ConnectedState' if on else 'DisabledState'}\n"
        f"mAirplaneModeOn {str(ctx.phone.radios.airplane).lower()}\n"
        f"WifiSettingsStore:\n  mPersistWifiState {ctx.phone.settings.text('global', 'wifi_on')}\n"
    )


def wifi_info(phone: Phone) -> str:
    """Describe the connection as WifiInfo does."""
    if not phone.radios.wifi:
        return (
            f"SSID: <unknown ssid>, BSSID: <none>, MAC: {ADDRESS}, IP: null,"
            " Security type: -1, Supplicant state: DISCONNECTED, RSSI: -127,"
            " Link speed: -1Mbps, Net ID: -1, Metered hint: false, score: 0"
        )
    return (
        f'SSID: "AndroidWifi", BSSID: 00:13:10:85:fe:01, MAC: {ADDRESS}, IP: /10.0.2.16,'
        " Security type: 0, Supplicant state: COMPLETED, Wi-Fi standard: 4, RSSI: -50,"
        " Link speed: 1Mbps, Tx Link speed: 1Mbps, Frequency: 2447MHz, Net ID: 0,"
        " Metered hint: false, score: 60"
    )


@service.command("set-wifi-enabled")
def set_wifi_enabled(ctx: Context, args: Arguments) -> None:
    """Switch Wi-Fi."""
    wanted = args.required()
    if wanted not in ("enabled", "disabled"):
        raise Refused(f"Invalid args to set-wifi-enabled: {wanted}")
    ctx.phone.radios.set_wifi(wanted == "enabled", package="com.android.shell", uid=ctx.uid)


@service.command("status")
def wifi_status(ctx: Context, _: Arguments) -> str:
    """Tell whether Wi-Fi is on."""
    if not ctx.phone.radios.wifi:
        return "Wifi is disabled\nWifi scanning is only available when wifi is enabled\n"
    return (
        "Wifi is enabled\nWifi scanning is only available when wifi is enabled\n"
        "==== Primary ClientModeManager instance ====\n"
        'Wifi is connected to "AndroidWifi"\n'
        'WifiInfo: SSID: "AndroidWifi", BSSID: 00:13:10:85:fe:01\n'
    )


@service.command("list-networks")
def list_networks(_ctx: Context, _: Arguments) -> str:
    """List the networks that the phone knows."""
    return f"{'Network Id':<12} {'SSID':<32} Security type\n{0:<12} {'AndroidWifi':<32} open\n"


@service.command("start-scan")
def start_scan(_: Context, args: Arguments) -> None:
    """Look for networks, which a phone that sees but one need not do."""
    args.rest()


@service.command("list-scan-results")
def list_scan_results(ctx: Context, _: Arguments) -> str:
    """List the networks that can be received."""
    if not ctx.phone.radios.wifi:
        return "No scan results\n"
    return (
        f"{'BSSID':>17} {'Frequency':>14} {'RSSI':>16} {'Age(sec)':>12}     SSID{' ' * 33}Flags\n"
        f"  00:13:10:85:fe:01         2447              -50        0.5     {'AndroidWifi':<32}"
        "     [ESS]\n"
    )


@service.command("get-country-code")
def country_code(_ctx: Context, _: Arguments) -> str:
    """Tell by which country's rules the radio works."""
    return "Wifi Country Code = US\n"
