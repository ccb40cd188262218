"""Calls, as the system manages them."""

from __future__ import annotations

from pytest_mobileagent.virtual.shell.android.service import Context, Service

service = Service("telecom", interface="com.android.internal.telecom.ITelecomService")
HANDLER = "com.android.phone/com.android.services.telephony.TelephonyConnectionService"


@service.dump
def dump(ctx: Context, _: list[str]) -> str:
    """Tell the call that there is."""
    call, shown = ctx.phone.telephony.call, ""
    if call:
        begun = "RINGING" if call.incoming else "DIALING"
        state = ("ON_HOLD" if call.held else "ACTIVE") if call.active else begun
        stars = "*" * max(len(call.number) - 2, 0)
        shown = (
            f"    [Call id=TC@1, state={state}, tpac=ComponentInfo{{{HANDLER}}}, [89014103],"
            f" UserHandle{{0}}, cmgr=null, handle=tel:{stars}{call.number[-2:]}, vidst=A,"
            " childs(0), has_parent(false), cap=[sup_hld mut]]\n"
        )
    speaker = "SPEAKER" if call and call.speaker else "EARPIECE"
    muted = str(bool(call and call.muted)).lower()
    return (
        f"CallsManager: \n  mCalls: \n{shown}  mCallAudioManager:\n    All calls:\n"
        f"  mCallAudioState: [AudioState isMuted: {muted}, route: {speaker}]\n"
        "  mTtyManager:\n    mCurrentTtyMode: 0\n"
    )
