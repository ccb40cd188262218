"use strict";

// Model calls: their messages, what is new in them, the tools, and the recorded JSON.

const REF = "§"; // the only key of an object that stands for a long string
const MOST_CELLS = 4e6; // of the table that compares two texts; larger ones are shown as replaced
const CONTEXT = 3; // equal lines around a difference

// A recorded value with its long strings.
function whole(value, texts) {
  if (Array.isArray(value)) return value.map((each) => whole(each, texts));
  if (!value || typeof value !== "object") return value;
  const names = Object.keys(value);
  if (names.length === 1 && names[0] === REF) return asText(texts?.[value[REF]]);
  return Object.fromEntries(names.map((name) => [name, whole(value[name], texts)]));
}

const listed = (value) => (Array.isArray(value) ? value : []);
const callsOf = (frame) => listed(frame.calls);

function callHead(call) {
  const facts = [
    asText(call.role), `${tokens(call.input_tokens)} → ${tokens(call.output_tokens)} tokens`, call.cached_tokens ? `${tokens(call.cached_tokens)} cached` : "",
    known(call.price_usd) ? money(call.price_usd) : "price unknown", known(call.seconds) ? duration(call.seconds) : "", call.waited ? `waited ${duration(call.waited)}` : "",
    call.retries ? count(call.retries, "retry").replace("retrys", "retries") : "", call.estimated ? "estimated" : "", call.from_cache ? "from the cache" : "",
  ];
  return make("p", { className: "call" }, make("b", { dir: "auto" }, asText(call.model) || "a model"), make("small", {}, ` ${facts.filter(Boolean).join(" · ")}`));
}

const noCalls = () => [make("p", { className: "quiet" }, "No model was called in this step.")];
const countMessages = (calls) => calls.reduce((sum, call) => sum + listed(call.request?.prompt).length + (call.reply ? 1 : 0), 0);

// The messages of calls, as they are: Markdown is not interpreted, and pictures are where they were sent.
function messageParts(calls, texts) {
  return calls.flatMap((call) => {
    const { request, reply } = whole({ request: call.request, reply: call.reply }, texts);
    const sent = request ? listed(request.prompt).map(messageNode) : [make("p", { className: "quiet" }, "The prompt is not recorded.")];
    return [callHead(call), ...sent,
      ...(reply?.text ? [bubble("reply", "reply", [reply.text])] : []), ...listed(reply?.tool_calls).map((each) => bubble("reply", "calls a tool", [each])),
      ...(call.failure ? [bubble("bad", "failed", [call.failure])] : [])];
  });
}

function messageNode(message) {
  const { role, content, ...more } = message && typeof message === "object" ? message : { content: message };
  const kind = ["system", "assistant", "tool"].includes(role) ? role : "asked";
  return bubble(kind, asText(role) || "message", [...(Array.isArray(content) ? content : [content ?? ""]), ...(Object.keys(more).length ? [more] : [])]);
}

function bubble(kind, who, parts) {
  const shown = parts.filter((part) => part !== "").map((part) => (typeof part?.picture === "string"
    ? make("span", { className: "sent" }, pictureOf(part.picture, { size: null, alt: "a picture of the prompt", small: true }))
    : make("pre", { dir: "auto" }, typeof part?.text === "string" && Object.keys(part).every((name) => name === "text" || name === "type") ? part.text : asText(part))));
  return make("div", { className: `bubble ${kind}` }, make("p", { className: "label" }, who), ...shown);
}

// The lines of a request, to be compared with those of another.
function linesOf(call, texts) {
  return listed(whole(call.request, texts)?.prompt).flatMap((message) => {
    const parts = Array.isArray(message?.content) ? message.content : [message?.content ?? ""];
    return [`── ${asText(message?.role)}`, ...parts.flatMap((part) => (typeof part?.picture === "string" ? [`[picture ${part.picture.split("/").pop()}]`] : asText(part?.text ?? part).split("\n")))];
  });
}

// What was removed from the first list and added in the second: [sign, line].
function differenceOf(before, after) {
  const least = Math.min(before.length, after.length);
  let [start, end] = [0, 0];
  while (start < least && before[start] === after[start]) start += 1;
  while (end < least - start && before.at(-1 - end) === after.at(-1 - end)) end += 1;
  const [a, b] = [before.slice(start, before.length - end), after.slice(start, after.length - end)];
  const same = (lines) => lines.map((line) => [" ", line]);
  return [...same(after.slice(0, start)), ...(a.length * b.length > MOST_CELLS ? [...a.map((line) => ["−", line]), ...b.map((line) => ["+", line])] : aligned(a, b)), ...same(after.slice(after.length - end))];
}

// The difference by a longest common subsequence.
function aligned(a, b) {
  const wide = b.length + 1;
  const most = new Uint32Array((a.length + 1) * wide);
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) most[i * wide + j] = a[i] === b[j] ? most[(i + 1) * wide + j + 1] + 1 : Math.max(most[(i + 1) * wide + j], most[i * wide + j + 1]);
  }
  const found = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) { found.push([" ", b[j]]); i += 1; j += 1; }
    else if (j === b.length || (i < a.length && most[(i + 1) * wide + j] >= most[i * wide + j + 1])) { found.push(["−", a[i]]); i += 1; }
    else { found.push(["+", b[j]]); j += 1; }
  }
  return found;
}

// Each call of a frame with the one before in the same role, of an earlier step, and their difference.
function differencesIn(frame, episode) {
  const earlier = episode.frames.slice(0, episode.frames.indexOf(frame)).flatMap(callsOf);
  return callsOf(frame).filter((call) => call.request).map((call) => {
    const before = earlier.findLast((each) => each.role === call.role && each.request);
    return { call, before, lines: before ? differenceOf(linesOf(before, episode.texts), linesOf(call, episode.texts)) : [] };
  });
}

function countDifferences(frame, episode) {
  const signs = differencesIn(frame, episode).flatMap(({ lines }) => lines.map(([sign]) => sign));
  return ["+", "−"].map((sign) => [sign, signs.filter((each) => each === sign).length]).filter(([, many]) => many).map((each) => each.join("")).join(" ");
}

function differenceParts(frame, episode) {
  const found = differencesIn(frame, episode);
  return found.length ? found.flatMap(({ call, before, lines }) => [callHead(call), ...(before ? [differenceNode(lines)] : [make("p", { className: "quiet" }, "No step before has a call in this role.")])]) : noCalls();
}

// The changed lines; equal passages are folded, but for a few lines.
function differenceNode(lines) {
  const isFar = (place) => lines.slice(Math.max(0, place - CONTEXT), place + CONTEXT + 1).every(([sign]) => sign === " ");
  const far = lines.map((_, place) => isFar(place));
  const node = make("div", { className: "difference" });
  let folded = null;
  lines.forEach(([sign, line], place) => {
    if (!far[place]) folded = null;
    else if (!far[place - 1]) node.append(folded = make("details", {}, make("summary", {}, `${[...far, false].indexOf(false, place) - place} equal lines`)));
    (folded || node).append(make("pre", { className: { "+": "added", "−": "removed" }[sign] || "", dir: "auto" }, `${sign} ${line}`));
  });
  return node;
}

function rawParts(calls, texts) {
  if (!calls.length) return noCalls();
  return calls.flatMap((call) => [callHead(call), ...copyable("Request", whole(call.request, texts)), ...copyable("Reply", whole(call.reply, texts)), ...copyable("Error", call.failure)]);
}

// A value as JSON, with a button that copies it.
function copyable(title, value) {
  if (!known(value) || value === "") return [];
  const button = makeButton("Copy", `Copy: ${title}`, () => copyText(asText(value), `${title} copied.`));
  return [make("div", { className: "copyable" }, make("h3", {}, title), button), make("pre", { className: "raw", dir: "ltr" }, asText(value))];
}

const toolsOf = (call, texts) => ({ offered: listed(whole(call.request?.settings, texts)?.tools), made: listed(whole(call.reply?.tool_calls, texts)) });
const countTools = (frame, { texts }) => callsOf(frame).map((call) => toolsOf(call, texts)).reduce((sum, { offered, made }) => sum + offered.length + made.length, 0);

function toolParts(frame, { texts }) {
  const found = callsOf(frame).flatMap((call) => {
    const { offered, made } = toolsOf(call, texts);
    if (!offered.length && !made.length) return [];
    return [callHead(call), ...made.map((each) => bubble("reply", `calls ${asText(each?.name ?? each?.function?.name)}`, [each?.arguments ?? each?.function?.arguments ?? each])),
      ...offered.map((tool) => {
        const own = tool?.function || tool?.provider || tool || {};
        return make("details", { className: "tool" }, make("summary", {}, make("b", { dir: "auto" }, asText(own.name || tool?.name || own.type)), make("small", { dir: "auto" }, ` ${asText(own.description).slice(0, 200)}`)), make("pre", { dir: "auto" }, asText(tool)));
      })];
  });
  return found.length ? found : [make("p", { className: "quiet" }, "No tool was offered or called in this step.")];
}
