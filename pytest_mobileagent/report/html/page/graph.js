"use strict";

// A graph of recorded pages: a map of the pages, the actions between them, and paths over it.

const [WIDE, HIGH, GAP_X, GAP_Y, MARGIN] = [150, 300, 110, 46, 30]; // pixels
const HIDDEN_AT_FIRST = new Set(["back"]);
let graph = null;
let chosen = "";
const nodes = new Map(); // the buttons of the pages, by page id
const lines = []; // each edge with its drawn path

const leftOf = (page) => MARGIN + page.column * (WIDE + GAP_X);
const topOf = (page) => MARGIN + page.row * (HIGH + GAP_Y);
const pageOf = (id) => graph.byId.get(id);
const titleOf = (page) => page.title || page.activity.split(".").at(-1) || page.id;

function picture(id, alt) {
  const block = byId(`p:${id}`);
  if (!block) return make("span", { className: "gone" }, "no picture");
  return make("img", { alt, src: URL.createObjectURL(new Blob([bytesOf(block)], { type: "image/webp" })), draggable: false, decoding: "async" });
}

function drawMap() {
  const columns = 1 + Math.max(...graph.pages.map((page) => page.column));
  const rows = 1 + Math.max(...graph.pages.map((page) => page.row));
  const [width, height] = [2 * MARGIN + columns * (WIDE + GAP_X), 2 * MARGIN + rows * (HIGH + GAP_Y)];
  const svg = draw("svg", { width, height, viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true" });
  for (const edge of graph.edges) {
    if (edge.from === edge.to) continue;
    const path = draw("path", { class: `edge ${edge.kind}`, d: curve(pageOf(edge.from), pageOf(edge.to)) });
    lines.push({ edge, path });
    svg.append(path);
  }
  svg.append(draw("g", { id: "ways" }));
  const sheet = byId("sheet");
  sheet.replaceChildren(svg);
  sheet.dataset.width = width;
  sheet.dataset.height = height;
  for (const page of [...graph.pages].sort((a, b) => a.column - b.column || a.row - b.row)) {
    const node = make("button", { type: "button", className: page.id === graph.start ? "node start" : "node", title: titleOf(page) }, picture(page.id, ""), make("span", { className: "name", dir: "auto" }, titleOf(page), page.id === graph.start ? make("span", { className: "off-screen" }, ", the first page") : null));
    node.setAttribute("aria-pressed", "false");
    Object.assign(node.style, { left: `${leftOf(page)}px`, top: `${topOf(page)}px`, width: `${WIDE}px`, height: `${HIGH}px` });
    node.addEventListener("click", () => choose(page.id));
    nodes.set(page.id, node);
    sheet.append(node);
  }
}

// A curve from the side of one page to the side of the other, or an arc within a column.
function curve(from, to, shift = 0) {
  const [y1, y2] = [topOf(from) + HIGH / 2 + shift, topOf(to) + HIGH / 2 + shift];
  if (from.column === to.column) {
    const x = leftOf(from) + WIDE;
    return `M ${x} ${y1} C ${x + GAP_X * 0.8} ${y1}, ${x + GAP_X * 0.8} ${y2}, ${x} ${y2}`;
  }
  const forward = to.column > from.column;
  const [x1, x2] = [leftOf(from) + (forward ? WIDE : 0), leftOf(to) + (forward ? 0 : WIDE)];
  const bend = (forward ? 1 : -1) * GAP_X * 0.7;
  return `M ${x1} ${y1} C ${x1 + bend} ${y1}, ${x2 - bend} ${y2}, ${x2} ${y2}`;
}

function zoom() {
  const [scale, sheet] = [byId("zoom").value / 100, byId("sheet")];
  sheet.style.transform = `scale(${scale})`;
  sheet.style.width = `${sheet.dataset.width * scale}px`;
  sheet.style.height = `${sheet.dataset.height * scale}px`;
}

function choose(id, { focus = false } = {}) {
  nodes.get(chosen)?.setAttribute("aria-pressed", "false");
  chosen = id;
  const node = nodes.get(id);
  node.setAttribute("aria-pressed", "true");
  node.scrollIntoView({ block: "nearest", inline: "nearest" });
  if (focus) node.focus({ preventScroll: true });
  showPage(pageOf(id));
  light();
}

function light() {
  const off = new Set([...document.querySelectorAll("#kinds input:not(:checked)")].map((box) => box.value));
  for (const { edge, path } of lines) {
    const near = edge.from === chosen || edge.to === chosen;
    path.classList.toggle("lit", edge.from === chosen);
    path.classList.toggle("dim", Boolean(chosen) && !near);
    path.style.display = off.has(edge.kind) && edge.from !== chosen ? "none" : "";
  }
}

function leadsTo(edge, other) {
  const times = edge.count > 1 ? ` · ${edge.count} times` : "";
  const where = edge.from === edge.to ? "stays here" : `${other === edge.to ? "to" : "from"} ${titleOf(pageOf(other))}`;
  const button = make("button", { type: "button", title: other }, make("bdi", {}, edge.words), make("small", {}, `${where}${times}`));
  button.addEventListener("click", () => choose(other, { focus: true }));
  button.addEventListener("focus", () => showBoxes(edge.from === chosen ? edge : null));
  button.addEventListener("pointerenter", () => showBoxes(edge.from === chosen ? edge : null));
  return make("li", {}, button);
}

function showBoxes(edge) {
  const svg = byId("boxes");
  svg?.replaceChildren(...(edge?.boxes || []).map(([left, top, right, bottom]) => draw("rect", { class: "box", x: left, y: top, width: Math.max(0, right - left), height: Math.max(0, bottom - top) })));
}

function showPage(page) {
  const [out, into] = [graph.edges.filter((edge) => edge.from === page.id), graph.edges.filter((edge) => edge.to === page.id && edge.from !== page.id)];
  const boxes = draw("svg", { id: "boxes", viewBox: `0 0 ${page.size[0]} ${page.size[1]}`, "aria-hidden": "true" });
  const list = (title, edges, other) => (edges.length ? [make("h3", {}, title), make("ul", {}, ...edges.map((edge) => leadsTo(edge, other(edge))))] : []);
  byId("page").replaceChildren(
    make("h2", { dir: "auto" }, titleOf(page)), make("p", {}, make("code", {}, page.id)), make("p", {}, make("small", {}, page.package), make("small", {}, page.activity)),
    ...(page.also.length ? [make("p", {}, make("small", {}, `also recorded as ${page.also.slice(0, 5).join(", ")}${page.also.length > 5 ? " …" : ""}`))] : []),
    make("figure", {}, picture(page.id, `What ${titleOf(page)} looks like`), boxes),
    ...list(`${count(out.length, "action")} from here`, out, (edge) => edge.to), ...list(`${count(into.length, "action")} to here`, into, (edge) => edge.from));
}

function showPath() {
  const path = graph.paths[byId("path").value];
  const steps = path?.pages || [];
  for (const [id, node] of nodes) {
    node.querySelector(".number")?.remove();
    node.classList.toggle("on-path", steps.includes(id));
    node.classList.toggle("golden", path?.kind === "golden");
    const places = steps.flatMap((page, place) => (page === id ? [place + 1] : []));
    if (places.length) node.append(make("span", { className: "number" }, places.slice(0, 3).join(" ") + (places.length > 3 ? " …" : "")));
  }
  const moves = steps.slice(1).map((id, place) => [steps[place], id]).filter(([from, to]) => from !== to);
  byId("ways").replaceChildren(...moves.map(([from, to]) => draw("path", { class: `way ${path.kind}`, d: curve(pageOf(from), pageOf(to), -24) })));
  byId("goal").textContent = path ? path.goal.replaceAll("{{", "{").replaceAll("}}", "}") : "";
  byId("goal").hidden = !path?.goal;
  if (steps.length) nodes.get(steps[0]).scrollIntoView({ block: "nearest", inline: "nearest" });
}

function find() {
  const wanted = byId("query").value.toLowerCase().split(/\s+/).filter(Boolean);
  const fitting = graph.pages.filter((page) => wanted.every((word) => page.words.includes(word)));
  const ids = new Set(fitting.map((page) => page.id));
  for (const [id, node] of nodes) node.classList.toggle("faint", wanted.length > 0 && !ids.has(id));
  byId("count").textContent = wanted.length ? `${number(fitting.length)} of ${count(graph.pages.length, "page")}` : "";
  return fitting;
}

function offerKinds() {
  const kinds = new Map();
  for (const edge of graph.edges) kinds.set(edge.kind, (kinds.get(edge.kind) || 0) + 1);
  byId("kinds").append(...[...kinds].sort((a, b) => b[1] - a[1]).map(([kind, times]) => {
    const box = make("input", { type: "checkbox", value: kind, checked: !HIDDEN_AT_FIRST.has(kind) });
    box.addEventListener("change", light);
    return make("label", {}, box, draw("svg", { viewBox: "0 0 26 8", "aria-hidden": "true" }, draw("path", { class: `edge ${kind} lit`, d: "M 0 4 H 26" })), `${kind} ${times}`);
  }));
}

// Arrow keys select the nearest page in their direction.
function go(event) {
  const step = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] }[event.key];
  const here = step && pageOf([...nodes].find(([, node]) => node === event.target)?.[0]);
  if (!here) return;
  event.preventDefault();
  const ahead = graph.pages.filter((page) => step[0] ? Math.sign(page.column - here.column) === step[0] : page.column === here.column && Math.sign(page.row - here.row) === step[1]);
  const far = (page) => 10 * Math.abs(page.column - here.column) + Math.abs(page.row - here.row);
  const next = ahead.sort((a, b) => far(a) - far(b))[0];
  if (next) choose(next.id, { focus: true });
}

function show(index) {
  graph = index;
  graph.byId = new Map(graph.pages.map((page) => [page.id, page]));
  for (const page of graph.pages) page.words = [titleOf(page), page.id, page.activity, page.package, ...page.also].join("\n").toLowerCase();
  const part = graph.total > graph.pages.length ? `${number(graph.pages.length)} of ${count(graph.total, "page")}, those nearest to ${graph.around || "the first"}` : count(graph.pages.length, "page");
  byId("about").textContent = [part, count(graph.edges.length, "action"), graph.licence && `licence: ${graph.licence}`, graph.source && `source: ${graph.source}`].filter(Boolean).join(" · ");
  const of = { golden: "Golden path", agent: "Agent" };
  byId("about").title = byId("about").textContent;
  byId("path").append(...graph.paths.map((path, place) => make("option", { value: place }, `${of[path.kind]}: ${path.name}`)));
  drawMap();
  offerKinds();
  zoom();
  light();
  byId("path").value = graph.paths.length ? "0" : "";
  showPath();
  if (graph.pages.length) choose(graph.byId.has(graph.around) ? graph.around : graph.pages[0].id);
}

byId("tools").addEventListener("submit", (event) => { event.preventDefault(); const [first] = find(); if (first) choose(first.id, { focus: true }); });
byId("query").addEventListener("input", find);
byId("path").addEventListener("change", showPath);
byId("zoom").addEventListener("input", zoom);
byId("sheet").addEventListener("keydown", go);
openPage("graph", show);
