#!/bin/sh
# leaderboard.sh: run several agents on the same tasks, and write a page to publish.
# Start it again after an interruption: it continues where it stopped.
set -eu
agents=${AGENTS:-"appagent m3a t3a seeact mine"}
model=${MODEL:-openai:gpt-4o}
workers=${WORKERS:-8}
budget=${BUDGET:-20}    # US dollars for each agent

for agent in $agents; do
  resume=
  if ls "runs/$agent"/*/run.json > /dev/null 2>&1; then resume=--mobile-resume=runs/$agent; fi
  pytest tasks -n "$workers" --agent="$agent" --mobile-model="$model" --mobile-max-cost="$budget" \
    --mobile-epochs=3 --mobile-seed=1 --mobile-exit=run --mobile-runs="runs/$agent" $resume
done

set --
for agent in $agents; do set -- "$@" "runs/$agent"; done
python -m pytest_mobileagent report "$@"
python -m pytest_mobileagent report "$@" --format=html -o leaderboard.html
