#!/bin/sh
# gpu.sh: phones here, the model on a machine with GPUs. There, vLLM serves it to this network:
#
#   vllm serve Qwen/Qwen2.5-VL-7B-Instruct --served-model-name qwen2.5-vl --port 8000
#
set -eu
server=${SERVER:-http://gpu1:8000/v1}
name=${NAME:-qwen2.5-vl}
agent=${AGENT:-qwen_vl}
unset OPENAI_API_KEY    # the server is your own: it needs no key, and gets none of OpenAI's

pytest tasks -n "${WORKERS:-16}" --agent="$agent" --mobile-model="openai:$name@$server" \
  --mobile-unpriced=allow --mobile-max-tokens=50000000,task=500000
