"""Stand-in for mobilerun: it prints what it is told, and ends with status 1 unless it is done."""

import re
import sys

from model import ask

for step in range(1, 4):
    print(f"🔄 Step {step}/3\nFastAgent response:")
    try:
        said = ask()
    except OSError as error:
        sys.exit(f"❌ Goal failed: Error: {error}")
    print(said)
    found = dict(re.findall(r'<parameter name="(\w+)">(.*?)</parameter>', said))
    if found.get("success") == "true":
        print(f"🎉 Goal achieved: {found.get('message', '')}")
        sys.exit(0)
    if "success" in found:
        print(f"❌ Goal failed: {found.get('message', '')}")
        sys.exit(1)
print("❌ Goal failed: Reached max step count of 3 steps")
sys.exit(1)
