"use strict";

// Two screens compared: beside each other, as a slider, or with the regions that differ marked.

const VIEWS = { both: "Side by side", slider: "Slider", changes: "Changes" };

const viewOf = () => (VIEWS[remembered("view")] ? remembered("view") : "both");

function chooseView(view) {
  remember("view", view);
  if (state.paired) showPairFrame(state.frame, { anew: true });
  else showStage(state.episode.frames[state.frame]);
}

function viewButtons() {
  return make("span", { className: "views", role: "group", "aria-label": "Compare the screens" }, ...Object.entries(VIEWS).map(([view, title]) =>
    makeButton(title, `${title} (v for the next)`, () => chooseView(view), { "aria-pressed": String(view === viewOf()) })));
}

function nextView() {
  const views = Object.keys(VIEWS);
  chooseView(views[(views.indexOf(viewOf()) + 1) % views.length]);
}

// One of two screens over the other; each is {frame, alt}. The later one is right of the slider.
function compared(view, before, after) {
  const [first, second] = [before, after].map(({ frame, alt }) => shot(frame, frame.actions || [], { alt }));
  // Pixels of files cannot be read by a page that is a file itself, so a filter finds those that differ.
  const nodes = view === "slider" ? slider(first, second)
    : [make("div", { className: "overlaid" }, second, make("span", { className: "regions" }, ...[before, after].map(({ frame }) => shot(frame, []))))];
  nodes[0].style.aspectRatio = second.style.aspectRatio;
  return nodes;
}

function slider(below, above) {
  const node = make("div", { className: "overlaid slider" }, below, above);
  const range = make("input", { type: "range", className: "range", min: 0, max: 100, value: 50, step: 1, "aria-label": "How much of the screen before is shown, in percent" });
  const move = (share) => { range.value = share; node.style.setProperty("--cut", `${range.value}%`); };
  range.addEventListener("input", () => move(range.value));
  const drag = (event) => {
    if (event.type === "pointermove" && !event.buttons) return;
    const { left, width } = below.getBoundingClientRect();
    move((100 * (event.clientX - left)) / width);
  };
  for (const type of ["pointerdown", "pointermove"]) node.addEventListener(type, drag);
  move(50);
  return [node, range];
}

// The screen before a step with its actions, and the screen after it.
function showStage(frame) {
  const before = { frame, alt: `Screen of ${asText(frame.package) || "the phone"} before: ${actionsOf(frame)}` };
  const after = frame.after ? { frame: { ...frame, png: frame.after, actions: [] }, alt: "Screen after the step" } : null;
  const where = [frame.package, asText(frame.activity).split(".").pop()].filter(Boolean).map(asText).join(" · ");
  const caption = (title, more) => make("figcaption", { dir: "auto", title: more }, make("b", {}, title), make("small", {}, ` ${more}`));
  const first = shot(frame, frame.actions || [], { alt: before.alt });
  first.id = "screen";
  const view = after ? viewOf() : "both";
  byId("stage").replaceChildren(make("div", { className: "screens" }, ...(view === "both" ? [
    make("figure", {}, first, caption(known(frame.step) ? "Before" : titleOf(frame), where)),
    ...(after ? [make("figure", { className: "after" }, shot(after.frame, [], { alt: after.alt }), caption("After", frame.no_effect ? "the same: no effect" : ""))] : []),
  ] : [make("figure", {}, ...compared(view, before, after), caption(view === "slider" ? "Before │ After" : "After, with what changed", where))])), ...(after ? [viewButtons()] : []));
  readElements(frame);
}
