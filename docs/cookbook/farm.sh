#!/bin/sh
# farm.sh: the phones of a device farm, through its Appium hub. The URL contains a key, so it is read from the environment:
#
#   export MOBILE_DEVICE=appium:https://NAME:KEY@hub.example/wd/hub
#
set -eu
phones=${PHONES:-4}    # the number of sessions that your plan allows at a time

[ -f hub.json ] || cat > hub.json <<'JSON'
{
  "platformName": "Android",
  "appium:automationName": "UiAutomator2",
  "appium:newCommandTimeout": 300
}
JSON

python -m pytest_mobileagent doctor --capabilities=hub.json --look-only
pytest tasks -n "$phones" --agent="${AGENT:-mine}" -o mobile_capabilities=hub.json --mobile-retries=2 -o mobile_max_infra=10
