"use strict";

// The timeline of the devices and their episodes.

const LANE = 22; // height of a device's lane in pixels
const MOST_SPANS = 1500; // with more episodes, each outcome is a single shape instead of links

function plotTimeline(shown) {
  const rows = state.rows.filter((row) => known(row.began) && known(row.seconds));
  if (!rows.length) return null;
  const lanes = grouped(sorted(rows, (each) => each.began), (row) => asText(row.worker) || asText(row.device) || "a device");
  const end = Math.max(...rows.map((row) => row.began + row.seconds)) || 1;
  const left = 120;
  const width = 1000;
  const x = (at) => left + (at / end) * (width - left - 12);
  const height = lanes.size * LANE + 26;
  const svg = draw("svg", { viewBox: `0 0 ${width} ${height}`, role: "group", "aria-label": "Timeline of the devices" });
  for (const tick of moments(end)) {
    svg.append(draw("line", { class: "grid", x1: x(tick), x2: x(tick), y1: 0, y2: height - 20 }),
      words({ class: "tick", x: x(tick), y: height - 6, "text-anchor": "middle" }, duration(tick)));
  }
  [...lanes].forEach(([name, each], lane) => {
    svg.append(words({ class: "tick name", x: left - 8, y: lane * LANE + 15, "text-anchor": "end" }, name.slice(0, 18)));
    const top = lane * LANE + 3;
    svg.append(...(rows.length > MOST_SPANS ? joined(each, x, top, shown) : each.map((row) => span(row, x, top, shown.has(row)))));
  });
  return Object.assign(figure("Timeline", "each bar is an episode", make("div", { className: "scroll", tabIndex: 0, role: "group", ariaLabel: "Timeline" }, svg)), { className: "plot wide-plot" });
}

// The ticks of a time axis: at most so many round times.
function moments(end, most = 8) {
  const minutes = [1, 2, 5, 10, 15, 30, 60, 120, 240, 480, 1440];
  const step = [0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, ...minutes.map((each) => each * 60)].find((each) => end / each <= most) || end;
  return Array.from({ length: Math.floor(end / step) + 1 }, (_, place) => place * step);
}

const widthOf = (row, x) => Math.max(1.5, x(row.began + row.seconds) - x(row.began) - 1);

function joined(rows, x, top, shown) {
  const shapes = new Map();
  for (const row of rows) {
    const kind = `span ${kindOf(row.outcome)}${shown.has(row) ? "" : " out"}`;
    const wide = widthOf(row, x).toFixed(1);
    shapes.set(kind, `${shapes.get(kind) || ""}M${x(row.began).toFixed(1)} ${top}h${wide}v${LANE - 6}h-${wide}z`);
  }
  return [...shapes].map(([kind, d]) => draw("path", { class: kind, d }));
}

function span(row, x, top, isShown) {
  const [from, wide] = [x(row.began), widthOf(row, x)];
  const link = draw("a", row.e ? { href: addressOf({ e: row.e, other: row.pair?.e }), tabindex: -1 } : {},
    draw("rect", { class: `span ${kindOf(row.outcome)}`, x: from, y: top, width: wide, height: LANE - 6, rx: 2 }));
  if (wide > 12) link.append(words({ class: "span-sign", x: from + wide / 2, y: top + 12, "text-anchor": "middle" }, SIGNS[row.outcome] || ""));
  link.setAttribute("class", isShown ? "" : "out");
  return titled(link, `${nameOf(row)}: ${row.outcome}, ${duration(row.seconds)} from ${duration(row.began)}`);
}
