"use strict";

// The panes of an episode: sizes that can be dragged, and whether details are beside or below the screens.

const STEP = 24; // pixels that an arrow key moves a splitter by

// A splitter that sets the size of a pane, in pixels: a CSS property of the episode. `along` is the direction in
// which the pane grows when it is dragged; a double click resets it.
function splitter(id, label, { property, along, size, least, most, moved = () => {} }) {
  const node = make("div", { id, className: "splitter", role: "separator", tabIndex: 0, "aria-label": label, title: `${label}: drag, or use the arrow keys; double-click to reset` });
  const set = (value) => {
    const px = Math.round(Math.max(least, Math.min(value, most())));
    byId("episode").style.setProperty(property(), `${px}px`);
    node.setAttribute("aria-valuenow", px);
    remember(property(), px);
    moved();
  };
  const place = (event) => (along()[0] ? along()[0] * event.clientX : along()[1] * event.clientY);
  let from = null;
  node.addEventListener("pointerdown", (event) => { from = size() - place(event); node.setPointerCapture(event.pointerId); event.preventDefault(); node.focus(); });
  node.addEventListener("pointermove", (event) => { if (from !== null) set(from + place(event)); });
  for (const type of ["pointerup", "pointercancel"]) node.addEventListener(type, () => { from = null; });
  node.addEventListener("dblclick", () => { forget(property()); byId("episode").style.removeProperty(property()); moved(); });
  node.addEventListener("keydown", (event) => {
    const by = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] }[event.key];
    if (!by) return;
    event.preventDefault();
    event.stopPropagation();
    set(size() + STEP * (by[0] * along()[0] + by[1] * along()[1]));
  });
  const kept = Number(remembered(property(), 0));
  if (kept) byId("episode").style.setProperty(property(), `${kept}px`);
  node.setAttribute("aria-orientation", along()[0] ? "vertical" : "horizontal");
  node.setAttribute("aria-valuenow", kept || Math.round(size()));
  return node;
}

// Whether the details are below the screens: as chosen, else for screens that are wider than high.
function isBelow() {
  const size = state.episode?.size || [1080, 2400];
  return remembered("details", size[0] > size[1] ? "below" : "beside") === "below";
}

function showPanes() {
  byId("episode").classList.toggle("below", isBelow());
  byId("split").replaceWith(splitter("split", "Size of the details", {
    property: () => (isBelow() ? "--details" : "--stage"), along: () => (isBelow() ? [0, -1] : [1, 0]), least: 160,
    size: () => (isBelow() ? byId("detail").offsetHeight : byId("stage").offsetWidth),
    most: () => (isBelow() ? byId("episode").offsetHeight - 300 : byId("episode").offsetWidth - 340),
  }));
}

// Make the stage as wide as both screens at its height, unless the reader has chosen a width.
function fitStage() {
  const [wide, high] = state.episode?.size || [1080, 2400];
  const room = Math.max(200, byId("stage").offsetHeight - 56);
  byId("episode").style.setProperty("--fit", `${Math.round(Math.min((2 * room * wide) / high + 32, window.innerWidth * 0.6))}px`);
}

function togglePanes() {
  remember("details", isBelow() ? "beside" : "below");
  showPanes();
  drawStrip();
}
