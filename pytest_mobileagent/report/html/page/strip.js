"use strict";

// The film strip: the screens of an episode on a ruler of time, with what took the time and what happened.

const [RULER, SIGNS_ROW, GAP, MOST_ZOOM] = [15, 17, 5, 64]; // heights in pixels, and a factor
const LANES = { work: 9, calls: 6, tokens: 16 };
const film = { zoom: 1, spans: [], x: () => 0 };

// The title of a frame in lists.
function titleOf(frame) {
  if (frame.wall) return "Tried again";
  return known(frame.step) ? `Step ${frame.step}` : "At the end";
}

function actionsOf(frame) {
  const words = (frame.actions || []).map((each) => `${asText(each.text)}${each.done ? "" : " (not done)"}`);
  return words.join(", ") || (known(frame.step) ? "nothing" : "");
}

// Whether the check holds after a frame; null if unknown.
const heldAfter = (episode, frame) => (frame.wall ? null : episode.held?.[known(frame.step) ? frame.step : episode.held.length - 1] ?? null);

// What happened at a frame: [sign on the ruler, kind, words, more words].
function happenings(episode, frame) {
  const { noise, wall } = frame;
  const held = heldAfter(episode, frame);
  const before = known(frame.step) ? episode.held?.[frame.step - 1] : held;
  const isHandled = ["closed", "waited", "recovered", "left"].includes(noise?.reaction) || noise?.order;
  return [
    frame.no_effect && ["", "warn", "no effect"],
    frame.unfocused && ["", "warn", "no focus", "typed before a field had the focus"],
    noise && ["⚡", isHandled ? "" : "warn", `${asText(noise.kind)}${noise.reaction ? `: ${asText(noise.reaction)}` : ""}`, `noise ${asText(noise.name)}`],
    frame.obeyed && ["⚡", "bad", "obeyed", `did what the injection ordered: ${asText(noise?.order)}`],
    wall && ["▮", wall.stands ? "bad" : "good", wall.stands ? "the wall stands" : "no wall", asText(wall.text)],
    frame.notice && ["", "bad", "not done", asText(frame.notice)],
    known(frame.match) && ["", frame.match ? "good" : "bad", frame.match ? "✓ golden" : "not golden", "the golden action was done, whatever the agent decided"],
    frame.crashes?.length && ["✖", "bad", "crash", frame.crashes.map((each) => asText(each.text)).join("\n")],
    held === true && before === false && ["⚑", "good", "goal met", "the check holds after this step"],
    held === true && before !== false && ["", "good", "✓ goal holds", "the check held after this step"],
    held === false && before === true && ["⚐", "bad", "goal lost", "the check no longer holds after this step"],
    (frame.changed || []).length && ["", "", "changed", `changed: ${(frame.changed || []).map(asText).join(", ")}`],
  ].filter(Boolean);
}

const badgesOf = (episode, frame) => happenings(episode, frame).map(([, kind, text, more = text]) => make("span", { className: `badge ${kind}`, title: more }, text));

function stripItem(episode, frame, place, chosen = showFrame) {
  const button = make("button", { type: "button", className: "strip-item", tabIndex: -1, title: `${titleOf(frame)}: ${actionsOf(frame)}` }, shot(frame, frame.actions || [], { small: true }),
    make("span", { className: "strip-words" }, make("span", {}, make("b", {}, titleOf(frame)), known(frame.at) ? make("small", { title: "seconds since the start" }, ` ${moment(frame.at)}`) : null),
      make("span", { className: "what", dir: "auto" }, actionsOf(frame)), ...badgesOf(episode, frame)));
  button.addEventListener("click", () => chosen(place));
  return make("li", {}, button);
}

// A time since the start: "4.2 s", or from 100 seconds on "2:05".
const moment = (seconds) => (seconds < 100 ? duration(seconds) : `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, "0")}`);

const amount = (value) => (Number.isFinite(value) && value > 0 ? value : 0);

// The beginning and the end of each frame in seconds; equal spans if no times are known.
function spansOf(frames) {
  const isTimed = frames.some((frame) => amount(frame.thinking) + amount(frame.acting));
  let end = 0;
  return frames.map((frame) => {
    const from = isTimed && known(frame.at) ? amount(frame.at) : end;
    const worked = amount(frame.thinking) + amount(frame.acting);
    end = Math.max(end, from + (isTimed ? worked : known(frame.step) ? 1 : 0));
    return { from, to: end };
  });
}

// The parts of a frame's time: [kind, seconds], in order; and those of its model calls.
function workOf(frame) {
  const calls = callsOf(frame).map((call) => ({ waited: amount(call.waited), asked: amount(call.seconds), call }));
  const waited = Math.min(amount(frame.thinking), calls.reduce((sum, each) => sum + each.waited, 0));
  const isWaiting = frame.actions?.length && frame.actions.every((each) => each.kind === "wait");
  return { calls, parts: [["waiting", waited], ["thinking", amount(frame.thinking) - waited], [isWaiting ? "waiting" : "acting", amount(frame.acting)]] };
}

const tokensOf = (frame) => callsOf(frame).reduce((sum, call) => sum + amount(call.input_tokens) + amount(call.output_tokens), 0);

function showStrip(episode) {
  film.spans = spansOf(episode.frames);
  byId("strip").hidden = !episode.frames.length;
  byId("frames").replaceChildren(...episode.frames.map((frame, place) => stripItem(episode, frame, place)));
  showKeys(episode);
  drawStrip();
}

// What the bars and signs mean, with sums.
function showKeys({ frames }) {
  const sums = {};
  for (const [kind, each] of frames.flatMap((frame) => workOf(frame).parts)) sums[kind] = (sums[kind] || 0) + each;
  const keys = Object.entries(sums).filter(([, each]) => each).map(([kind, each]) => [kind, `${kind} ${duration(each)}`]);
  const calls = frames.flatMap(callsOf).length;
  if (calls) keys.push(["calls", count(calls, "model call")], ["tokens", `${tokens(frames.reduce((sum, frame) => sum + tokensOf(frame), 0))} tokens`]);
  const signs = new Map(frames.flatMap((frame) => happenings(state.episode, frame)).filter(([sign]) => sign).map(([sign, kind, text]) => [sign, [kind, sign === "⚡" ? "noise" : text]]));
  byId("strip-keys").replaceChildren(...keys.map(([kind, text]) => make("span", { className: `key ${kind}` }, text)), ...[...signs].map(([sign, [kind, text]]) => make("span", { className: `sign-key ${kind}` }, `${sign} ${text}`)));
}

const thumbHeight = () => Number(remembered("--thumb")) || Math.max(52, Math.min(150, window.innerHeight * 0.08));

// Lay out the strip for its size and zoom.
function drawStrip() {
  showSizes();
  const [box, frames] = [byId("film"), state.episode?.frames || []];
  if (!box.clientWidth || !frames.length) return;
  const high = thumbHeight();
  const wide = (frame) => { const [w, h] = frame.size || [1080, 2400]; return Math.round(high * Math.min(2.5, w / h)) + 4; };
  const end = film.spans.at(-1).to;
  // Frames without a duration, at the end, are beside each other.
  const tail = frames.length - frames.findLastIndex((_, place) => film.spans[place].to > film.spans[place].from) - 1;
  const width = Math.round(box.clientWidth * film.zoom);
  const room = Math.max(1, width - 16 - Math.max(1, tail) * wide(frames.at(-1)));
  film.x = (at) => 8 + (end ? at / end : 0) * room;
  let taken = -1;
  [...byId("frames").children].forEach((item, place) => {
    const inTail = place - (frames.length - tail);
    const left = inTail < 0 ? film.x(film.spans[place].from) : film.x(end) + 4 + inTail * wide(frames[place]);
    const size = inTail < 0 ? Math.max(3, film.x(film.spans[place].to) - left) : wide(frames[place]);
    const isSlim = left < taken;
    if (!isSlim) taken = left + wide(frames[place]);
    item.className = isSlim ? "slim" : size < wide(frames[place]) + 64 ? "bare" : "";
    Object.assign(item.style, { left: `${left}px`, width: `${Math.max(isSlim ? 0 : wide(frames[place]), size)}px`, top: `${RULER + SIGNS_ROW}px`, height: `${high + 4}px` });
    item.style.setProperty("--wide", `${wide(frames[place]) - 4}px`);
  });
  const top = RULER + SIGNS_ROW + high + 4 + GAP;
  const height = top + LANES.work + LANES.calls + LANES.tokens + 3 * GAP;
  Object.assign(byId("reel").style, { width: `${width}px`, height: `${height}px` });
  const most = Math.max(1, ...frames.map(tokensOf));
  const drawing = byId("reel").querySelector("svg");
  for (const [name, size] of Object.entries({ width, height })) drawing.setAttribute(name, size);
  drawing.replaceChildren(draw("rect", { class: "now", y: 0, height, rx: 4 }), ...rulerOf(end, width, height), ...frames.flatMap((frame, place) => [...lanesOf(frame, place, top, most), ...signsOf(frame, place)]));
  markFilm(state.frame);
  showSizes(); // the strip has taken its height from the stage
}

function rulerOf(end, width, height) {
  const ticks = end && film.spans.length > 1 ? moments(end, Math.max(4, width / 120)) : [];
  return ticks.flatMap((tick) => [draw("line", { class: "grid", x1: film.x(tick), x2: film.x(tick), y1: RULER, y2: height }),
    words({ class: "tick", x: film.x(tick) + 3, y: RULER - 4 }, moment(tick))]);
}

// The bars of a frame, below its picture; `most` is the largest number of tokens of a frame.
function lanesOf(frame, place, top, most) {
  const { from, to } = film.spans[place];
  const { parts, calls } = workOf(frame);
  const [second, third] = [top + LANES.work + GAP, top + LANES.work + LANES.calls + 2 * GAP];
  const bars = []; // [kind, begin, seconds, top, height, words]
  const row = (pieces, y, height) => {
    let at = from;
    for (const [kind, seconds, text] of pieces) {
      bars.push([kind, at, Math.min(seconds, to - at), y, height, `${text} ${duration(seconds)}`]);
      at += seconds;
    }
  };
  row(parts.map(([kind, seconds]) => [kind, seconds, `${kind} for`]), top, LANES.work);
  row(calls.flatMap(({ waited, asked, call }) => [["waiting", waited, "waited for a model for"], ["calls", asked, `${asText(call.role)} ${asText(call.model)}:`]]), second, LANES.calls);
  const high = (LANES.tokens * tokensOf(frame)) / most;
  bars.push(["tokens", from, high && to - from, third + LANES.tokens - high, high, `${tokens(tokensOf(frame))} tokens`]);
  return bars.filter(([, , seconds]) => seconds > 0).map(([kind, begin, seconds, y, height, text]) => titled(
    draw("rect", { class: `lane ${kind}`, x: film.x(begin), y, width: Math.max(1, film.x(begin + seconds) - film.x(begin) - 1), height }), `${titleOf(frame)}: ${text}`));
}

// The signs of what happened at a frame, above its picture.
function signsOf(frame, place) {
  const left = known(frame.step) ? film.x(film.spans[place].from) + 2 : film.x(film.spans[place].to) + 8;
  return happenings(state.episode, frame).filter(([sign]) => sign).map(([sign, kind, text, more = text], number) => titled(
    words({ class: `film-sign ${kind}`, x: left + number * 15, y: RULER + 13 }, sign), `${titleOf(frame)}: ${text}; ${more}`));
}

// Scale the strip by a factor, 0 to show all of it, around the pointer or the current step.
function zoomFilm(factor, at = null) {
  const box = byId("film");
  const around = at ?? film.x(film.spans[state.frame]?.from || 0) - box.scrollLeft;
  const share = (box.scrollLeft + around) / box.scrollWidth;
  film.zoom = Math.max(1, Math.min(MOST_ZOOM, film.zoom * factor));
  drawStrip();
  box.scrollLeft = share * box.scrollWidth - around;
}

// Dragging the pictures moves a strip that is larger than its place; dragging elsewhere moves through the episode.
{
  const box = byId("film");
  let from = null;
  const scrub = (event) => {
    const x = event.clientX - box.getBoundingClientRect().left + box.scrollLeft;
    showFrame(Math.max(0, film.spans.findLastIndex(({ from: begin }) => film.x(begin) <= x)));
  };
  box.addEventListener("pointerdown", (event) => {
    if (event.button || event.pointerType === "touch") return;
    from = { x: event.clientX, left: box.scrollLeft, moves: box.scrollWidth > box.clientWidth && event.target.closest("li") };
    if (!event.target.closest("li")) scrub(event);
  });
  box.addEventListener("pointermove", (event) => {
    if (!from || !event.buttons) { from = null; return; }
    if (Math.abs(event.clientX - from.x) > 4) box.setPointerCapture(event.pointerId);
    if (!box.hasPointerCapture(event.pointerId)) return;
    if (from.moves) box.scrollLeft = from.left + from.x - event.clientX;
    else scrub(event);
  });
  box.addEventListener("wheel", (event) => {
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    zoomFilm(event.deltaY < 0 ? 1.25 : 0.8, event.clientX - box.getBoundingClientRect().left);
  }, { passive: false });
  for (const button of document.querySelectorAll("[data-zoom]")) button.addEventListener("click", () => zoomFilm(Number(button.dataset.zoom)));
}

function markFilm(place) {
  const [now, item] = [byId("reel").querySelector(".now"), byId("frames").children[place]];
  if (!now || !item) return;
  now.setAttribute("x", item.offsetLeft - 2);
  now.setAttribute("width", Math.max(item.offsetWidth, 8) + 4);
  markCurrent(byId("film"), place);
}

function markCurrent(strip, place) {
  const items = strip.querySelectorAll(".strip-item");
  if ([...items].includes(document.activeElement)) items[place]?.focus({ preventScroll: true });
  items.forEach((item, at) => {
    item.tabIndex = at === place ? 0 : -1;
    if (at === place) item.setAttribute("aria-current", "step");
    else item.removeAttribute("aria-current");
  });
  const item = items[place];
  if (!item) return;
  if (item.closest("details")) item.closest("details").open = true;
  const list = item.closest("#film, nav");
  const [box, room] = [item.getBoundingClientRect(), list.getBoundingClientRect()];
  // Not scrollIntoView, which would also scroll the page.
  if (box.left < room.left || box.right > room.right) list.scrollLeft += box.left - room.left - (room.width - box.width) / 2;
}
