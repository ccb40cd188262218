"use strict";

// Model calls: prompts and replies.

function exchangeParts(calls, texts) {
  return calls.map((call, place) => fold(`call-${place}`, summaryOf(call), place === calls.length - 1 && calls.length < 3, ...exchange(call, texts)));
}

function summaryOf(call) {
  const facts = [
    asText(call.role), `${tokens(call.input_tokens)} → ${tokens(call.output_tokens)} tokens`, call.cached_tokens ? `${tokens(call.cached_tokens)} cached` : "",
    known(call.price_usd) ? money(call.price_usd) : "price unknown", known(call.seconds) ? duration(call.seconds) : "",
    call.retries ? count(call.retries, "retry").replace("retrys", "retries") : "", call.estimated ? "estimated" : "", call.from_cache ? "from the cache" : "",
  ];
  return make("span", {}, make("b", { dir: "auto" }, asText(call.model) || "a model"), make("small", {}, ` ${facts.filter(Boolean).join(" · ")}`));
}

function exchange(call, texts) {
  const prompt = Array.isArray(call.prompt) ? call.prompt.map((message) => messageNode(message, texts)) : [make("p", { className: "quiet" }, "The prompt is not recorded.")];
  return [
    ...prompt,
    ...(call.said ? [bubble("reply", "said", call.said)] : []),
    ...(call.tools ? [bubble("reply", "called", asText(call.tools))] : []),
    ...(call.error ? [bubble("bad", "failed", call.error)] : []),
  ];
}

function messageNode(message, texts) {
  const text = known(message.ref) ? texts?.[message.ref] : message.text;
  const pictures = (message.pictures || []).map((path) => pictureOf(asText(path), { size: null, alt: "a picture of the prompt", small: true }));
  return bubble(message.role === "system" ? "system" : "asked", asText(message.role), asText(text), pictures);
}

function bubble(kind, who, text, pictures = []) {
  return make("div", { className: `bubble ${kind}` }, make("p", { className: "label" }, who),
    text ? make("pre", { dir: "auto", tabIndex: 0 }, asText(text)) : null, pictures.length ? make("div", { className: "pictures" }, ...pictures) : null);
}
