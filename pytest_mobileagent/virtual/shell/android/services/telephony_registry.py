"""How line and mobile network stand."""

from __future__ import annotations

from pytest_mobileagent.virtual.shell.android.service import Context, Service

CALL_STATES = {"IDLE": 0, "RINGING": 1, "OFFHOOK": 2}
SERVICE_STATES = {"home": 0, "roaming": 0, "searching": 2, "denied": 1, "unregistered": 1}
service = Service(
    "telephony.registry", interface="com.android.internal.telephony.ITelephonyRegistry"
)


@service.dump
def dump(ctx: Context, _: list[str]) -> str:
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
