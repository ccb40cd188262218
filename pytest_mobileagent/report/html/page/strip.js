"use strict";

// The film strip: the screens of an episode on a ruler of time, with what took the time and what happened.

const [RULER, SIGNS_ROW, GAP] = [15, 17, 5]; // heights in pixels
const LANES = { work: 9, calls: 6, tokens: 16 };
const MOST_ZOOM = 64;
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
  const isHandled = ["closed", "waited", "recovered", "left"].includes(noise?.reaction);
  return [
    frame.no_effect && ["", "warn", "no effect"],
    frame.unfocused && ["", "warn", "no focus", "typed before a field had the focus"],
    noise && ["⚡", isHandled ? "" : "warn", `${asText(noise.kind)}${noise.reaction ? `: ${asText(noise.reaction)}` : ""}`, `noise ${asText(noise.name)}`],
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

function stripItem(episode, frame, place, chosen = showFrame) {
  const badges = happenings(episode, frame).map(([, kind, text, more = text]) => make("span", { className: `badge ${kind}`, title: more }, text));
  const button = make("button", { type: "button", className: "strip-item", tabIndex: -1, title: `${titleOf(frame)}: ${actionsOf(frame)}` }, shot(frame, frame.actions || [], { small: true }),
    make("span", { className: "strip-words" }, make("span", {}, make("b", {}, titleOf(frame)), known(frame.at) ? make("small", { title: "seconds since the start" }, ` ${moment(frame.at)}`) : null),
      make("span", { className: "what", dir: "auto" }, actionsOf(frame)), ...badges));
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
  const calls = (frame.calls || []).map((call) => ({ waited: amount(call.waited), asked: amount(call.seconds), call }));
  const waited = Math.min(amount(frame.thinking), calls.reduce((sum, each) => sum + each.waited, 0));
  const isWaiting = frame.actions?.length && frame.actions.every((each) => each.kind === "wait");
  return { calls, parts: [["waiting", waited], ["thinking", amount(frame.thinking) - waited], [isWaiting ? "waiting" : "acting", amount(frame.acting)]] };
}

const tokensOf = (frame) => (frame.calls || []).reduce((sum, call) => sum + amount(call.input_tokens) + amount(call.output_tokens), 0);

function showStrip(episode) {
  Object.assign(film, { zoom: 1, spans: spansOf(episode.frames) });
  const reel = make("div", { id: "reel" }, make("ol", {}, ...episode.frames.map((frame, place) => stripItem(episode, frame, place))));
  const box = make("div", { id: "film" }, reel);
  byId("strip").replaceChildren(stripHead(episode), box);
  byId("strip").prepend(splitter("grip", "Size of the film strip", {
    property: () => "--thumb", along: () => [0, -1], size: thumbHeight, least: 36, most: () => window.innerHeight / 3, moved: drawStrip,
  }));
  dragFilm(box);
  drawStrip();
}

// What the bars and signs mean, with sums, and the zoom.
function stripHead(episode) {
  const seconds = {};
  for (const frame of episode.frames) for (const [kind, each] of workOf(frame).parts) seconds[kind] = (seconds[kind] || 0) + each;
  const calls = episode.frames.flatMap((frame) => frame.calls || []);
  const keys = Object.entries(seconds).filter(([, each]) => each).map(([kind, each]) => [kind, `${kind} ${duration(each)}`]);
  if (calls.length) keys.push(["calls", count(calls.length, "model call")], ["tokens", `${tokens(episode.frames.reduce((sum, frame) => sum + tokensOf(frame), 0))} tokens`]);
  const signs = new Map();
  for (const [sign, kind, text] of episode.frames.flatMap((frame) => happenings(episode, frame))) if (sign) signs.set(sign, [kind, sign === "⚡" ? "noise" : text]);
  const zoom = (label, title, factor) => {
    const button = make("button", { type: "button", title, "aria-label": title }, label);
    button.addEventListener("click", () => zoomFilm(factor));
    return button;
  };
  return make("div", { id: "strip-head" }, ...keys.map(([kind, text]) => make("span", { className: `key ${kind}` }, text)),
    ...[...signs].map(([sign, [kind, text]]) => make("span", { className: `sign-key ${kind}` }, `${sign} ${text}`)),
    make("span", { className: "room" }), zoom("−", "Zoom out (-)", 0.5), zoom("+", "Zoom in (+)", 2), zoom("Fit", "The whole episode (0)", 0));
}

const thumbHeight = () => Number.parseFloat(byId("episode").style.getPropertyValue("--thumb")) || Math.max(52, Math.min(150, window.innerHeight * 0.08));

// Lay out the strip for its size and zoom.
function drawStrip() {
  const [box, { frames }] = [byId("film"), state.episode || { frames: [] }];
  if (!box?.clientWidth || !frames.length) return;
  const high = thumbHeight();
  const wide = (frame) => { const [w, h] = frame.size || [1080, 2400]; return Math.round(high * Math.min(2.5, w / h)) + 4; };
  const end = film.spans.at(-1).to;
  // Frames without a duration, at the end, are beside each other.
  const tail = frames.length - frames.findLastIndex((_, place) => film.spans[place].to > film.spans[place].from) - 1;
  const width = Math.round(box.clientWidth * film.zoom);
  const room = Math.max(1, width - 16 - Math.max(1, tail) * wide(frames.at(-1)));
  film.x = (at) => 8 + (end ? at / end : 0) * room;
  let taken = -1;
  [...box.querySelectorAll("li")].forEach((item, place) => {
    const inTail = place - (frames.length - tail);
    const left = inTail < 0 ? film.x(film.spans[place].from) : film.x(end) + 4 + inTail * wide(frames[place]);
    const size = inTail < 0 ? Math.max(3, film.x(film.spans[place].to) - left) : wide(frames[place]);
    const isSlim = left < taken;
    if (!isSlim) taken = left + wide(frames[place]);
    item.className = isSlim ? "slim" : size < wide(frames[place]) + 64 ? "bare" : "";
    Object.assign(item.style, { left: `${left}px`, width: `${Math.max(isSlim ? 0 : wide(frames[place]), size)}px`, top: `${RULER + SIGNS_ROW}px`, height: `${high + 4}px` });
    item.style.setProperty("--wide", `${wide(frames[place]) - 4}px`);
  });
  const reel = byId("reel");
  const top = RULER + SIGNS_ROW + high + 4 + GAP;
  const height = top + LANES.work + LANES.calls + LANES.tokens + 3 * GAP;
  Object.assign(reel.style, { width: `${width}px`, height: `${height}px` });
  reel.querySelector("svg")?.remove();
  reel.prepend(draw("svg", { width, height, "aria-hidden": "true" }, draw("rect", { class: "now", y: 0, height, rx: 4 }), ...rulerOf(end, width, height), ...frames.flatMap((frame, place) => lanesOf(frame, place, top))));
  markFilm(state.frame);
  fitStage();
}

function rulerOf(end, width, height) {
  const ticks = end && film.spans.length > 1 ? moments(end, Math.max(4, width / 120)) : [];
  return ticks.flatMap((tick) => [draw("line", { class: "grid", x1: film.x(tick), x2: film.x(tick), y1: RULER, y2: height }),
    words({ class: "tick", x: film.x(tick) + 3, y: RULER - 4 }, moment(tick))]);
}

// The bars of a frame below its picture, and its signs above it.
function lanesOf(frame, place, top) {
  const { from, to } = film.spans[place];
  const { parts, calls } = workOf(frame);
  const found = [];
  const bar = (kind, begin, seconds, y, height, text) => {
    if (seconds > 0) found.push(titled(draw("rect", { class: `lane ${kind}`, x: film.x(begin), y, width: Math.max(1, film.x(begin + seconds) - film.x(begin) - 1), height }), text));
  };
  let at = from;
  for (const [kind, seconds] of parts) {
    bar(kind, at, seconds, top, LANES.work, `${titleOf(frame)}: ${kind} for ${duration(seconds)}`);
    at += seconds;
  }
  at = from;
  for (const { waited, asked, call } of calls) {
    bar("waiting", at, waited, top + LANES.work + GAP, LANES.calls, `waited for ${asText(call.model)}: ${duration(waited)}`);
    bar("calls", at + waited, Math.min(asked, to - at - waited), top + LANES.work + GAP, LANES.calls, `${asText(call.role)} ${asText(call.model)}: ${duration(asked)}`);
    at += waited + asked;
  }
  const most = Math.max(1, ...state.episode.frames.map(tokensOf));
  const high = (LANES.tokens * tokensOf(frame)) / most;
  bar("tokens", from, high ? to - from : 0, top + LANES.work + LANES.calls + 2 * GAP + LANES.tokens - high, high, `${titleOf(frame)}: ${tokens(tokensOf(frame))} tokens`);
  const signs = happenings(state.episode, frame).filter(([sign]) => sign);
  return [...found, ...signs.map(([sign, kind, text, more = text], number) => titled(words({ class: `film-sign ${kind}`, x: (frame.wall || !known(frame.step) ? film.x(to) + 8 : film.x(from) + 2) + number * 15, y: RULER + 13 }, sign), `${titleOf(frame)}: ${text}; ${more}`))];
}

// Scale the strip by a factor, 0 to show all of it, around the pointer or the current step.
function zoomFilm(factor, at = null) {
  const box = byId("film");
  if (!box) return;
  const around = at ?? film.x(film.spans[state.frame]?.from || 0) - box.scrollLeft;
  const share = (box.scrollLeft + around) / box.scrollWidth;
  film.zoom = Math.max(1, Math.min(MOST_ZOOM, film.zoom * factor));
  drawStrip();
  box.scrollLeft = share * box.scrollWidth - around;
}

// Dragging the pictures moves a strip that is larger than its place; dragging elsewhere moves through the episode.
function dragFilm(box) {
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
}

function markFilm(place) {
  const [box, now, span] = [byId("film"), byId("reel")?.querySelector(".now"), film.spans[place]];
  if (!now || !span) return;
  const item = box.querySelectorAll("li")[place];
  const [left, right] = [item.offsetLeft, item.offsetLeft + Math.max(item.offsetWidth, 8)];
  now.setAttribute("x", left - 2);
  now.setAttribute("width", right - left + 4);
  markCurrent(box, place);
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
  const list = item.closest("#film, ol");
  const [box, room] = [item.getBoundingClientRect(), list.getBoundingClientRect()];
  // Not scrollIntoView, which would also scroll the page.
  if (box.left < room.left || box.right > room.right) list.scrollLeft += box.left - room.left - (room.width - box.width) / 2;
}
