"use strict";

// The film strip: each step with its screen, its actions, and their effect.

function showStrip(episode) {
  byId("strip").replaceChildren(make("ol", {}, ...episode.frames.map((frame, place) => stripItem(episode, frame, place))));
}

// The title of a frame in lists.
function titleOf(frame) {
  if (frame.wall) return "Tried again";
  return known(frame.step) ? `Step ${frame.step}` : "At the end";
}

function actionsOf(frame) {
  const words = (frame.actions || []).map((each) => `${asText(each.text)}${each.done ? "" : " (not done)"}`);
  return words.join(", ") || (known(frame.step) ? "nothing" : "");
}

function stripItem(episode, frame, place, chosen = showFrame) {
  const actions = frame.actions || [];
  const marked = actions.filter((each) => Array.isArray(each.at));
  // A step with several actions has one picture for each.
  const shots = marked.length > 1 ? marked.slice(0, 6).map((each) => shot(frame, [each], { small: true })) : [shot(frame, actions, { small: true })];
  const held = frame.wall ? null : episode.held?.[known(frame.step) ? frame.step : episode.held.length - 1];
  const signs = [
    frame.no_effect ? make("span", { className: "badge warn" }, "no effect") : null,
    frame.unfocused ? make("span", { className: "badge warn", title: "typed before a field had the focus" }, "no focus") : null,
    frame.noise ? make("span", { className: `badge ${["closed", "waited", "recovered", "left"].includes(frame.noise.reaction) ? "" : "warn"}`, title: `noise ${asText(frame.noise.name)}` }, asText(frame.noise.kind), frame.noise.reaction ? `: ${asText(frame.noise.reaction)}` : "") : null,
    frame.wall ? make("span", { className: `badge ${frame.wall.stands ? "bad" : "good"}`, title: asText(frame.wall.text) }, frame.wall.stands ? "the wall stands" : "no wall") : null,
    frame.notice ? make("span", { className: "badge bad" }, "not done") : null,
    known(frame.match) ? make("span", { className: `badge ${frame.match ? "good" : "bad"}`, title: "the golden action was done, whatever the agent decided" }, frame.match ? "✓ golden" : "not golden") : null,
    frame.crashes?.length ? make("span", { className: "badge bad", title: frame.crashes.map((each) => asText(each.text)).join("\n") }, "crash") : null,
    held === true ? make("span", { className: "badge good", title: "the check held after this step" }, "✓ goal holds") : null,
    (frame.changed || []).length ? make("span", { className: "badge", title: "a probe changed" }, "changed") : null,
  ];
  const button = make("button", { type: "button", className: "strip-item", tabIndex: -1 },
    make("span", { className: "shots" }, ...shots),
    make("span", { className: "strip-words" }, make("span", {}, make("b", {}, titleOf(frame)), known(frame.at) ? make("small", { title: "seconds since the start" }, ` ${duration(frame.at)}`) : null), make("span", { className: "what", dir: "auto" }, actionsOf(frame)), ...signs));
  button.addEventListener("click", () => chosen(place));
  return make("li", {}, button);
}

function markCurrent(strip, place) {
  const items = strip.querySelectorAll(".strip-item");
  items.forEach((item, at) => {
    if (at === place) item.setAttribute("aria-current", "step");
    else item.removeAttribute("aria-current");
  });
  const item = items[place];
  if (!item) return;
  const list = item.closest("ol");
  const [box, room] = [item.getBoundingClientRect(), list.getBoundingClientRect()];
  // Not scrollIntoView, which would also scroll the page.
  if (box.top < room.top || box.bottom > room.bottom) list.scrollTop += box.top - room.top - (room.height - box.height) / 2;
  if (box.left < room.left || box.right > room.right) list.scrollLeft += box.left - room.left - (room.width - box.width) / 2;
}

// The screen before a step with its actions, and the screen after it.
function showStage(frame) {
  const after = frame.after ? { ...frame, png: frame.after } : null;
  const before = shot(frame, frame.actions || [], { alt: `Screen of ${asText(frame.package) || "the phone"} before: ${actionsOf(frame)}` });
  before.id = "screen";
  const where = [frame.package, asText(frame.activity).split(".").pop()].filter(Boolean).map(asText).join(" · ");
  byId("stage").replaceChildren(
    make("figure", {}, make("figcaption", { dir: "auto" }, make("b", {}, known(frame.step) ? "Before" : titleOf(frame)), make("small", {}, ` ${where}`)), before),
    ...(after ? [make("figure", { className: "after" }, make("figcaption", {}, make("b", {}, "After"), make("small", {}, frame.no_effect ? " the same: no effect" : "")),
      shot(after, [], { alt: "Screen after the step" }))] : []));
}
