#!/bin/sh
# farm.sh: the phones of a farm, through its Appium hub. Its URL holds a name and a key, so it comes from the environment:
#
#   export MOBILE_DEVICE=appium:https://NAME:KEY@hub.example/wd/hub
#
set -eu
phones=${PHONES:-4}    # sessions at a time; what your plan allows

[ -f hub.json ] || cat > hub.json <<'JSON'
{
  "platformName": "Android",
  "appium:automationName": "UiAutomator2",
  "appium:newCommandTimeout": 300
}
JSON

python -m pytest_mobileagent doctor --capabilities=hub.json --look-only
pytest tasks -n "$phones" --agent="${AGENT:-mine}" --mobile-capabilities=hub.json --mobile-retries=2 --mobile-max-infra=10
