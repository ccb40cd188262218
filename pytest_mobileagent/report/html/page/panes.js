"use strict";

// The panes of an episode: sizes that can be dragged, and whether details are beside or below the screens.

const STEP = 24; // pixels that an arrow key moves a splitter by

// Let a splitter set a size in pixels, a CSS property of the episode. `pane` returns the property, the size, its
// greatest value, and the direction in which it grows when the splitter is dragged.
function splitter(node, pane) {
  const set = (value) => {
    const { property, most } = pane();
    remember(property, Math.round(Math.max(40, Math.min(value, most))));
    drawStrip();
  };
  let from = null;
  const along = (event) => pane().x * event.clientX + pane().y * event.clientY;
  node.title = `${node.getAttribute("aria-label")}: drag, or use the arrow keys; double-click to reset`;
  node.addEventListener("pointerdown", (event) => { from = pane().size - along(event); node.setPointerCapture(event.pointerId); event.preventDefault(); node.focus(); });
  node.addEventListener("pointermove", (event) => { if (from !== null) set(from + along(event)); });
  for (const type of ["pointerup", "pointercancel"]) node.addEventListener(type, () => { from = null; });
  node.addEventListener("dblclick", () => { remember(pane().property, ""); drawStrip(); });
  node.addEventListener("keydown", (event) => {
    const [x, y] = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] }[event.key] || [0, 0];
    if (!x && !y) return;
    event.preventDefault();
    event.stopPropagation();
    set(pane().size + STEP * (x * pane().x + y * pane().y));
  });
}

const detailPane = () => (isBelow()
  ? { property: "--details", size: byId("detail").offsetHeight, most: byId("episode").offsetHeight - 300, x: 0, y: -1 }
  : { property: "--stage", size: byId("stage").offsetWidth, most: byId("episode").offsetWidth - 340, x: 1, y: 0 });
const stripPane = () => ({ property: "--thumb", size: thumbHeight(), most: window.innerHeight / 3, x: 0, y: -1 });
splitter(byId("split"), detailPane);
splitter(byId("grip"), stripPane);
byId("dock").addEventListener("click", togglePanes);

// Whether the details are below the screens: as chosen, else for screens that are wider than high.
function isBelow() {
  const [wide, high] = state.episode?.size || [1080, 2400];
  return remembered("details", wide > high ? "below" : "beside") === "below";
}

// Apply the sizes. Without a choice, the stage is as wide as both screens at its height.
function showSizes() {
  const { style } = byId("episode");
  for (const name of ["--stage", "--details", "--thumb"]) style.setProperty(name, remembered(name) ? `${Number(remembered(name))}px` : "");
  const [wide, high] = state.episode?.size || [1080, 2400];
  style.setProperty("--fit", `${Math.round(Math.min((2 * Math.max(200, byId("stage").offsetHeight - 56) * wide) / high + 32, window.innerWidth * 0.6))}px`);
  byId("split").setAttribute("aria-orientation", isBelow() ? "horizontal" : "vertical");
  for (const [id, { size, most }] of [["split", detailPane()], ["grip", stripPane()]]) {
    byId(id).setAttribute("aria-valuenow", Math.round(size));
    byId(id).setAttribute("aria-valuemax", Math.round(most));
  }
  byId("episode").classList.toggle("below", isBelow());
}

function togglePanes() {
  remember("details", isBelow() ? "beside" : "below");
  drawStrip();
}
