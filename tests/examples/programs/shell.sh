#!/bin/sh
# An agent of curl and adb. It says to a model what is on the screen, and does what that answers:
# OPEN package, TAP text, or DONE answer.
goal=$1

ask() {
    body=$(printf '{"model": "gpt-4o-mini", "messages": [{"role": "user", "content": "%s"}]}' "$1")
    curl -sS "$OPENAI_BASE_URL/chat/completions" -H "Content-Type: application/json" \
        -H "Authorization: Bearer ${OPENAI_API_KEY:-none}" -d "$body" |
        sed -n 's/.*"content": *"\([^"]*\)".*/\1/p'
}

centre() { # of the element with a text
    tr '>' '\n' | grep "text=\"$1\"" |
        sed -n 's/.*bounds="\[\([0-9]*\),\([0-9]*\)\]\[\([0-9]*\),\([0-9]*\)\]".*/\1 \2 \3 \4/p' |
        { read -r left top right bottom && echo "$(((left + right) / 2)) $(((top + bottom) / 2))"; }
}

while true; do
    screen=$(adb exec-out "uiautomator dump /sdcard/ui.xml >/dev/null; cat /sdcard/ui.xml")
    texts=$(echo "$screen" | tr '>' '\n' | sed -n 's/.* text="\([^"]\{1,\}\)".*/\1,/p' | tr -d '\n')
    reply=$(ask "Goal: $goal On the screen: $texts")
    words=${reply#* }
    case $reply in
    OPEN*) adb shell monkey -p "$words" 1 >/dev/null ;;
    TAP*) adb shell "input tap $(echo "$screen" | centre "$words")" ;;
    DONE*) echo "FINAL ANSWER: $words" && exit 0 ;;
    *) echo "no reply" >&2 && exit 2 ;;
    esac
done
