#!/bin/sh
# gpu.sh: phones on this machine, and a model on a machine with GPUs, where vLLM serves it to this network:
#
#   vllm serve Qwen/Qwen2.5-VL-7B-Instruct --served-model-name qwen2.5-vl --port 8000
#
set -eu
server=${SERVER:-http://gpu1:8000/v1}
name=${NAME:-qwen2.5-vl}
agent=${AGENT:-qwen_vl}
unset OPENAI_API_KEY    # your own server does not need OpenAI's key, and must not get it

pytest tasks -n "${WORKERS:-16}" --agent="$agent" --mobile-model="openai:$name@$server" \
  --mobile-unpriced=allow --mobile-max-tokens=50000000,task=500000
