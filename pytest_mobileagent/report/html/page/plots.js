"use strict";

// SVG plots of a run: its success, and its cost in steps and money.

const GROUPS = [["apps", "app"], ["levels", "level"], ["suites", "suite"], ["kinds", "kind"], ["languages", "language"], ["tags", "tag"], ["environments", "env"]];
const MOST_DOTS = 300; // with more tasks, those with the same numbers share a mark
const CELL = 11; // the side of the largest shared mark
const MOST_BARS = 8; // bars visible without scrolling
let groupShown = null; // the chosen group

function titled(node, text) {
  const title = draw("title", {});
  title.textContent = text;
  node.prepend(title);
  return node;
}

function figure(title, note, content, choice = null) {
  return make("figure", { className: "plot" }, make("figcaption", {}, make("b", {}, title), make("small", {}, note), choice), content);
}

function plotSuccess() {
  const groups = GROUPS.filter(([name]) => decidedIn(name).length);
  if (!groups.length) return null;
  const many = (name) => decidedIn(name).length;
  const telling = groups.filter(([name]) => many(name) > 1);
  const [name, field] = groups.find(([each]) => each === groupShown) || telling[0] || groups[0];
  const select = make("select", {}, ...groups.map(([each, one]) => make("option", { value: each, selected: each === name }, `by ${one}`)));
  select.setAttribute("aria-label", "Success by");
  select.addEventListener("change", () => { groupShown = select.value; showPlots(); });
  const bars = barsOf(name, field);
  // With enough room, also show groups other than suites, which often equal apps.
  let room = MOST_BARS - bars.length;
  for (const [other, one] of telling) {
    if (other === name || other === "suites" || many(other) > room) continue;
    room -= many(other);
    bars.push(make("p", { className: "label" }, `by ${one}`), ...barsOf(other, one));
  }
  return figure("Success", "with 95 % intervals", make("div", { className: "bars" }, ...bars), select);
}

// The values of a group that have decided episodes: numbers in their order, others by their success, the lowest first.
function decidedIn(name) {
  const found = Object.entries(state.run.summary?.[name] || {}).filter(([, totals]) => totals.decided);
  return found.every(([value]) => value.trim() !== "" && Number.isFinite(Number(value))) ? found : sorted(found, ([, totals]) => totals.success_rate);
}

const barsOf = (name, field) => decidedIn(name).map(([value, totals]) => successBar(field, value, totals));

function successBar(field, value, totals) {
  const rate = totals.success_rate;
  const interval = Array.isArray(totals.interval) ? totals.interval : wilson(totals.successes, totals.decided);
  const label = `${value}: ${percent(rate, 0)}, ${totals.successes} of ${totals.decided}` + (interval ? `, 95 %: ${percent(interval[0], 0)} to ${percent(interval[1], 0)}` : "");
  const button = make("button", { type: "button", className: "bar-row", title: label },
    make("bdi", { className: "name" }, field === "app" ? shortApp(value) : value), rateBar(rate, interval),
    make("span", { className: "value" }, percent(rate, 0)), make("small", {}, `${totals.successes}/${totals.decided}`));
  button.setAttribute("aria-label", `${label}. Filter by it.`);
  button.addEventListener("click", () => setFilter(withField(state.filter, field, [value])));
  return button;
}

// The ticks of an axis: 0 and at most five round numbers.
function ticks(most) {
  const rough = most / 4 || 1;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((each) => each * power).find((each) => each >= rough);
  return Array.from({ length: Math.floor(most / step + 1e-9) + 1 }, (_, place) => place * step);
}

const PLOT = { width: 360, height: 240, left: 54, right: 12, top: 10, bottom: 36 };

function axes(mostX, mostY, titleX, titleY, asX, asY) {
  const { width, height, left, right, top, bottom } = PLOT;
  const x = (value) => left + (value / mostX) * (width - left - right);
  const y = (value) => height - bottom - (value / mostY) * (height - top - bottom);
  const svg = draw("svg", { viewBox: `0 0 ${width} ${height}`, role: "group", "aria-label": `${titleY} against ${titleX}` });
  for (const tick of ticks(mostX)) {
    svg.append(draw("line", { class: "grid", x1: x(tick), x2: x(tick), y1: top, y2: height - bottom }),
      words({ class: "tick", x: x(tick), y: height - bottom + 14, "text-anchor": "middle" }, asX(tick)));
  }
  for (const tick of ticks(mostY)) {
    svg.append(draw("line", { class: "grid", x1: left, x2: width - right, y1: y(tick), y2: y(tick) }),
      words({ class: "tick", x: left - 6, y: y(tick) + 4, "text-anchor": "end" }, asY(tick)));
  }
  svg.append(words({ class: "axis", x: (left + width - right) / 2, y: height - 4, "text-anchor": "middle" }, titleX),
    words({ class: "axis", x: 0, y: 0, transform: `translate(11 ${(top + height - bottom) / 2}) rotate(-90)`, "text-anchor": "middle" }, titleY));
  return { svg, x, y };
}

// A mark for a task: a disc if it passed, else a cross; faint if the filter excludes it.
function dot(row, x, y, isShown) {
  const shape = row.success === true
    ? draw("circle", { cx: x, cy: y, r: 3.6, class: "dot passed" })
    : draw("path", { d: `M ${x - 3.2} ${y - 3.2} l 6.4 6.4 m 0 -6.4 l -6.4 6.4`, class: `cross ${kindOf(row.outcome)}` });
  const link = draw("a", row.e ? { href: addressOf({ e: row.e, other: row.pair?.e }), tabindex: -1 } : {}, shape);
  link.setAttribute("class", isShown ? "" : "out");
  return titled(link, `${nameOf(row)}: ${row.outcome}, ${stepsOf(row)} steps${known(row.cost_usd) ? `, ${money(row.cost_usd)}` : ""}`);
}

function plotSteps(shown) {
  const rows = state.rows.filter((row) => row.golden_steps && known(row.steps));
  if (!rows.length) return null;
  const mostX = Math.max(...rows.map((row) => row.golden_steps)) + 1;
  const mostY = Math.max(mostX, ...rows.map((row) => row.steps)) + 1;
  const { svg, x, y } = axes(mostX, mostY, "golden steps", "steps", number, number);
  svg.append(draw("line", { class: "equal", x1: x(0), y1: y(0), x2: x(mostX), y2: y(Math.min(mostX, mostY)) }));
  if (rows.length > MOST_DOTS) svg.append(...binned(rows.filter((row) => shown.has(row)), x, y));
  const met = new Map(); // tasks with the same numbers are drawn next to each other
  for (const row of rows.length > MOST_DOTS ? [] : rows) {
    const place = `${row.golden_steps} ${row.steps}`;
    const times = met.get(place) || 0;
    met.set(place, times + 1);
    const turn = times * 2.4;
    const far = 1.9 * Math.sqrt(times);
    svg.append(dot(row, x(row.golden_steps) + far * Math.cos(turn), y(row.steps) + far * Math.sin(turn), shown.has(row)));
  }
  return figure("Steps against golden steps", `on the line: as few steps as possible · ${rows.length > MOST_DOTS ? `area: how many ${hasEpochs() ? "episodes" : "tasks"} · green: passed` : "● passed ✕ not"}`, svg);
}

// A square for all tasks with nearly the same numbers: its area shows their count, its lower part the share that passed.
function binned(rows, x, y) {
  const side = (least, scale) => Math.max(1, Math.ceil(CELL / Math.abs(scale(1) - scale(0)))) * least;
  const [wide, high] = [side(1, x), side(1, y)];
  const cells = new Map();
  for (const row of rows) {
    const place = [Math.floor(row.golden_steps / wide) * wide, Math.floor(row.steps / high) * high];
    const cell = cells.get(place.join()) || { place, all: 0, passed: 0 };
    cell.all += 1;
    cell.passed += Number(row.success === true);
    cells.set(place.join(), cell);
  }
  const most = Math.max(...[...cells.values()].map((cell) => cell.all));
  return [...cells.values()].map(({ place: [golden, steps], all, passed }) => {
    const size = Math.max(2, CELL * Math.sqrt(all / most));
    const [left, bottom] = [x(golden + (wide - 1) / 2) - size / 2, y(steps + (high - 1) / 2) + size / 2];
    const part = size * (passed / all);
    const range = (from, many) => (many > 1 ? `${from} to ${from + many - 1}` : `${from}`);
    return titled(draw("g", {},
      draw("rect", { class: "cell failed", x: left, y: bottom - size, width: size, height: size - part }),
      draw("rect", { class: "cell passed", x: left, y: bottom - part, width: size, height: part })),
    `${range(steps, high)} steps of ${range(golden, wide)} golden steps: ${episodes(all)}, ${number(passed)} passed`);
  });
}

function plotCost() {
  const field = Object.keys(state.run.summary?.suites || {}).length > 1 ? "suite" : "app";
  const groups = new Map();
  for (const row of state.rows) {
    if (!known(row.cost_usd) || !known(row.success)) continue;
    const group = groups.get(row[field]) || { cost: 0, all: 0, successes: 0 };
    group.cost += row.cost_usd;
    group.all += 1;
    group.successes += Number(row.success);
    groups.set(row[field], group);
  }
  if (!groups.size || ![...groups.values()].some((group) => group.cost > 0)) return null;
  const mostX = 1.15 * Math.max(...[...groups.values()].map((group) => group.cost / group.all));
  const { svg, x, y } = axes(mostX, 1, `mean cost of a decided ${hasEpochs() ? "episode" : "task"}`, "success", money, (value) => percent(value, 0));
  for (const [name, { cost, all, successes }] of groups) {
    const [atX, atY] = [x(cost / all), y(successes / all)];
    const label = shortApp(name);
    const interval = wilson(successes, all);
    const isRight = atX > PLOT.width * 0.65;
    const node = draw("g", { class: "group", tabindex: 0, role: "button", "aria-label": `${label}: ${percent(successes / all, 0)}, ${money(cost / all)} a task. Filter by it.` },
      draw("line", { class: "interval", x1: atX, x2: atX, y1: y(interval[0]), y2: y(interval[1]) }),
      draw("circle", { class: "dot group", cx: atX, cy: atY, r: 4.5 }),
      words({ class: "tick name", x: atX + (isRight ? -8 : 8), y: atY + 4, "text-anchor": isRight ? "end" : "start" }, label.slice(0, 18)));
    const act = () => setFilter(withField(state.filter, field, [asText(name)]));
    node.addEventListener("click", act);
    node.addEventListener("keydown", (event) => { if (event.key === "Enter") act(); });
    svg.append(titled(node, `${label}: ${percent(successes / all, 0)} of ${all}, ${money(cost / all)} a task`));
  }
  return figure("Success against cost", `by ${field}, with 95 % intervals`, svg);
}

// The share of each kind of noise that the agent handled.
function plotNoise() {
  const kinds = sorted(Object.entries(state.run.summary?.noise || {}).filter(([, { met }]) => met), ([, { rate }]) => rate);
  if (!kinds.length) return null;
  const bars = kinds.map(([kind, { met, handled, rate }]) => {
    const interval = wilson(handled, met);
    const label = `${kind}: ${handled} of ${met}, 95 %: ${percent(interval[0], 0)} to ${percent(interval[1], 0)}`;
    return make("div", { className: "bar-row", title: label }, make("bdi", { className: "name" }, kind), rateBar(rate, interval),
      make("span", { className: "value" }, percent(rate, 0)), make("small", {}, `${handled}/${met}`));
  });
  return figure("Noise handled", "by kind, with 95 % intervals", make("div", { className: "bars" }, ...bars));
}

function showPlots() {
  if (!byId("plots-box").open) return; // drawn when the section is opened
  const shown = new Set(state.shown);
  byId("plots").replaceChildren(...[plotSuccess(), plotSteps(shown), plotCost(), plotNoise(), plotTimeline(shown)].filter(Boolean));
  byId("plots-box").hidden = !byId("plots").childElementCount;
}
