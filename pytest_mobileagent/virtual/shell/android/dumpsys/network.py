"""dumpsys wifi, connectivity, telephony.registry, bluetooth_manager and phone: the radios."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.phone import Phone
    from pytest_mobileagent.virtual.shell.commands import Context

CALL_STATES = {"IDLE": 0, "RINGING": 1, "OFFHOOK": 2}
SERVICE_STATES = {"home": 0, "roaming": 0, "searching": 2, "denied": 1, "unregistered": 1}
ADDRESS = "02:15:b2:00:00:00"


async def wifi(ctx: Context, args: list[str]) -> str:  # noqa: ARG001 - it has no options
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


async def connectivity(ctx: Context, args: list[str]) -> str:  # noqa: ARG001 - no options
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


async def telephony_registry(ctx: Context, args: list[str]) -> str:  # noqa: ARG001 - no options
    """Tell how the line and the network stand."""
    phone, radios = ctx.phone, ctx.phone.radios
    voice = "off" if radios.airplane else phone.hardware.registered["voice"]
    state = 3 if radios.airplane else SERVICE_STATES.get(voice, 0)
    call = phone.telephony.call
    data = 2 if radios.data and not radios.airplane else 0
    word = {0: "IN_SERVICE", 1: "OUT_OF_SERVICE", 2: "OUT_OF_SERVICE", 3: "POWER_OFF"}[state]
    number = call.number if call and call.incoming else ""
    operator = "" if state else phone.props.get("gsm.operator.alpha", "")
    return (
        "last known state:\n  Phone Id=0\n"
        f"    mCallState={CALL_STATES[phone.telephony.state]}\n"
        f"    mRingingCallState={int(phone.telephony.state == 'RINGING')}\n"
        f"    mForegroundCallState={int(phone.telephony.state == 'OFFHOOK')}\n"
        f"    mCallIncomingNumber={number}\n"
        f"    mServiceState={{mVoiceRegState={state}({word}), mDataRegState={state}({word}),"
        f" mOperatorAlphaLong={operator}, isManualNetworkSelection=false(automatic)}}\n"
        f"    mSignalStrength=SignalStrength:{{mLte=CellSignalStrengthLte:"
        f" rssi={phone.hardware.signal[1]} level={phone.hardware.signal[0]}}}\n"
        f"    mMessageWaiting=false\n    mCallForwarding=false\n    mDataActivity=0\n"
        f"    mDataConnectionState={data}\n"
        f"    mUserMobileDataState={str(radios.data).lower()}\n"
    )


async def bluetooth(ctx: Context, args: list[str]) -> str:  # noqa: ARG001 - it has no options
    """Tell whether Bluetooth is on."""
    on = ctx.phone.radios.bluetooth
    name = ctx.phone.settings.text("secure", "bluetooth_name")
    return (
        f"Bluetooth Status\n  enabled: {str(on).lower()}\n  state: {'ON' if on else 'OFF'}\n"
        f"  address: 02:00:00:44:55:66\n  name: {name}\n"
    )
