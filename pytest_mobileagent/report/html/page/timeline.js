"use strict";

// When each device worked on what.

const LANE = 22; // height of a device's line

function plotTimeline(shown) {
  const rows = state.rows.filter((row) => known(row.began) && known(row.seconds));
  if (!rows.length) return null;
  const lanes = new Map();
  for (const row of sorted(rows, (each) => each.began)) {
    const name = asText(row.worker) || asText(row.device) || "a device";
    lanes.set(name, [...(lanes.get(name) || []), row]);
  }
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
    for (const row of each) svg.append(span(row, x, lane * LANE + 3, shown.has(row)));
  });
  return Object.assign(figure("Timeline", "each bar is an episode", make("div", { className: "scroll" }, svg)), { className: "plot wide-plot" });
}

// Round times for the marks of the axis, at most eight.
function moments(end) {
  const minutes = [1, 2, 5, 10, 15, 30, 60, 120, 240, 480, 1440];
  const step = [1, 2, 5, 10, 15, 30, ...minutes.map((each) => each * 60)].find((each) => end / each <= 8) || end;
  return Array.from({ length: Math.floor(end / step) + 1 }, (_, place) => place * step);
}

function span(row, x, top, isShown) {
  const from = x(row.began);
  const wide = Math.max(1.5, x(row.began + row.seconds) - from - 1);
  const link = draw("a", row.e ? { href: addressOf({ e: row.e, other: row.pair?.e }), tabindex: -1 } : {},
    draw("rect", { class: `span ${kindOf(row.outcome)}`, x: from, y: top, width: wide, height: LANE - 6, rx: 2 }));
  if (wide > 12) link.append(words({ class: "span-sign", x: from + wide / 2, y: top + 12, "text-anchor": "middle" }, SIGNS[row.outcome] || ""));
  link.setAttribute("class", isShown ? "" : "out");
  return titled(link, `${nameOf(row)}: ${row.outcome}, ${duration(row.seconds)} from ${duration(row.began)}`);
}
