"use strict";

// The elements of a screen beside its picture: hovering highlights an element in both; a click selects it.

const BOTTOM = 16; // levels that are indented
const [CLASS, TEXT, ID, DESCRIPTION, BOX, FLAGS, CHILDREN] = [0, 1, 2, 3, 4, 5, 6];
let elements = []; // [node, depth, the classes of its ancestors], in document order
let pinned = -1;

// Whether a node is a layout with a single child and no other information; it is shown with that child.
const isWrapping = (node) => node[CHILDREN]?.length === 1 && !node[TEXT] && !node[DESCRIPTION] && !node[ID] && !node[FLAGS];

function flatten(root) {
  const found = [];
  const pending = [[root, 0]];
  while (pending.length) {
    let [node, depth] = pending.pop();
    const around = [];
    while (isWrapping(node)) {
      around.push(shortName(node[CLASS]));
      [node] = node[CHILDREN];
    }
    found.push([node, depth, around]);
    const children = node[CHILDREN] || [];
    for (let place = children.length - 1; place >= 0; place -= 1) pending.push([children[place], depth + 1]);
  }
  return found;
}

// Read the elements of a frame, and let the reader point at them on its screen.
function readElements(frame) {
  elements = frame.tree ? flatten(frame.tree) : [];
  pinned = -1;
  const screen = byId("screen");
  screen?.addEventListener("pointermove", (event) => { if (pinned < 0) point(elementAt(event), true); });
  screen?.addEventListener("pointerleave", () => point(pinned));
  screen?.addEventListener("click", (event) => { chooseTab("elements"); pin(elementAt(event), true); });
}

function treeParts() {
  if (!elements.length) return [make("p", { className: "quiet" }, "The elements of this screen are unknown.")];
  const list = make("div", { id: "tree", role: "tree", tabIndex: 0 }, ...elements.map((element, place) => treeRow(element, place)));
  list.setAttribute("aria-label", "Elements");
  list.addEventListener("pointerover", (event) => point(placeOf(event.target)));
  list.addEventListener("pointerleave", () => point(pinned));
  list.addEventListener("click", (event) => pin(placeOf(event.target)));
  list.addEventListener("keydown", walkTree);
  return [list, make("div", { id: "element" }, ...elementParts(elements[pinned]?.[0]))];
}

const placeOf = (target) => Number(target.closest?.("[data-place]")?.dataset.place ?? -1);
const shortName = (name) => asText(name).split(/[./:]/).pop();

function treeRow([node, depth, around], place) {
  const label = asText(node[TEXT]) || asText(node[DESCRIPTION]);
  const row = make("div", { id: `node-${place}`, className: "node", role: "treeitem", dir: "ltr" },
    around.length ? make("span", { className: "chain", title: `in ${around.join(" › ")}` }, "›") : null,
    label ? make("bdi", { className: "said" }, label.slice(0, 200)) : null,
    node[ID] ? make("span", { className: "id" }, `#${shortName(node[ID])}`) : null,
    make("span", { className: "class" }, shortName(node[CLASS]) || "?"),
    node[FLAGS] ? make("span", { className: "flags" }, asText(node[FLAGS])) : null);
  row.dataset.place = place;
  row.style.paddingInlineStart = `${6 + 6 * Math.min(depth, BOTTOM)}px`;
  row.setAttribute("aria-level", depth + 1);
  return row;
}

// Highlight an element in the tree and on the screen.
function point(place, bring = false) {
  byId("tree")?.querySelector(".pointed")?.classList.remove("pointed");
  byId("screen")?.querySelector(".box")?.remove();
  if (place < 0 || !elements[place]) return showElement(null);
  const [node] = elements[place];
  const [list, row] = [byId("tree"), byId(`node-${place}`)]; // only while their tab is open
  row?.classList.add("pointed");
  if (row) list.setAttribute("aria-activedescendant", row.id);
  if (bring && row) {
    if (row.offsetTop < list.scrollTop || row.offsetTop + row.offsetHeight > list.scrollTop + list.clientHeight) list.scrollTop = row.offsetTop - list.clientHeight / 2;
  }
  const box = numbersOf(node[BOX]);
  const svg = byId("screen")?.querySelector("svg");
  if (box && svg) svg.append(draw("rect", { class: "box", x: box[0], y: box[1], width: Math.max(0, box[2] - box[0]), height: Math.max(0, box[3] - box[1]) }));
  return showElement(node);
}

function pin(place, bring = false) {
  pinned = place === pinned ? -1 : place;
  point(pinned, bring);
  byId("tree")?.querySelector('[aria-selected="true"]')?.setAttribute("aria-selected", "false");
  if (pinned >= 0) byId(`node-${pinned}`)?.setAttribute("aria-selected", "true");
}

function walkTree(event) {
  const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (!by || !elements.length) return;
  event.preventDefault();
  event.stopPropagation();
  pinned = Math.max(0, Math.min(elements.length - 1, pinned + by));
  point(pinned, true);
}

const numbersOf = (box) => (Array.isArray(box) && box.length === 4 ? box.map(Number) : null);

// The smallest element at a point; of equally large ones the last, which is on top.
function elementAt(event) {
  const svg = byId("screen").querySelector("svg");
  const matrix = svg?.getScreenCTM();
  if (!matrix) return -1;
  const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix.inverse());
  let [best, least] = [-1, Infinity];
  elements.forEach(([node], place) => {
    const box = numbersOf(node[BOX]);
    if (!box || at.x < box[0] || at.y < box[1] || at.x >= box[2] || at.y >= box[3]) return;
    const area = (box[2] - box[0]) * (box[3] - box[1]);
    if (area <= least) [best, least] = [place, area];
  });
  return best;
}

const showElement = (node) => byId("element")?.replaceChildren(...elementParts(node));

function elementParts(node) {
  const box = node && numbersOf(node[BOX]);
  return node ? [pairs([
    ["class", node[CLASS]], ["text", asText(node[TEXT]).slice(0, 2000)], ["description", asText(node[DESCRIPTION]).slice(0, 2000)], ["id", node[ID]],
    ["box", box ? `${box[0]}, ${box[1]} to ${box[2]}, ${box[3]}` : ""], ["is", node[FLAGS]],
  ])] : [make("p", { className: "quiet" }, "Hover over an element or the screen; click to keep it selected.")];
}
