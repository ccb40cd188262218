#!/bin/sh
# judge.sh: judge many undecided episodes. People decide a random sample of them, which shows how far judges can be
# trusted with all. Run the steps one after the other: sh judge.sh sample, sh judge.sh calibrate, sh judge.sh judge
set -eu
run=${RUN:-runs}            # the run with the episodes, recorded with --llm-judge=off
judges=${JUDGES:-openai:gpt-4o,anthropic:claude-sonnet-4-5}

case ${1:-} in
sample)
  pytest tasks --collect-only -q | grep :: | shuf -n "${LABELS:-50}" > sample.txt
  pytest @sample.txt --mobile-rescore="$run" --llm-judge=off --mobile-runs=labelled
  echo "decide them: python -m pytest_mobileagent review labelled" ;;
calibrate)
  python -m pytest_mobileagent calibrate --labels=labelled --judges="$judges" --max-cost=5 ;;
judge)
  pytest tasks --mobile-rescore="$run" --llm-judge=cross --mobile-judges="$judges" --mobile-max-cost=40 \
    --mobile-exit=run --mobile-runs=judged
  python -m pytest_mobileagent review judged --list ;;    # the episodes on which the judges disagree
*)
  echo "usage: sh judge.sh sample|calibrate|judge" >&2
  exit 2 ;;
esac
