"use strict";

// Marks of touches on a screenshot.

function drawMark(mark, width) {
  const [x, y] = mark.at;
  const state = mark.done ? "" : " undone";
  const both = (tag, attributes) => [
    draw(tag, { ...attributes, class: "mark halo", "stroke-width": width * 0.016 }),
    draw(tag, { ...attributes, class: `mark${state}`, "stroke-width": width * 0.008 }),
  ];
  const radius = width * 0.04;
  if (mark.to) {
    const [x2, y2] = mark.to;
    const angle = Math.atan2(y2 - y, x2 - x);
    const tip = (turn) => [x2 - radius * Math.cos(angle + turn), y2 - radius * Math.sin(angle + turn)];
    const [ax, ay] = tip(0.5);
    const [bx, by] = tip(-0.5);
    return [
      ...both("circle", { cx: x, cy: y, r: radius / 2 }),
      ...both("path", { d: `M ${x} ${y} L ${x2} ${y2} M ${ax} ${ay} L ${x2} ${y2} L ${bx} ${by}` }),
    ];
  }
  const rings = mark.kind === "doubletap" ? [1, 1.5] : [1];
  const circles = rings.flatMap((size) => both("circle", { cx: x, cy: y, r: radius * size }));
  const held = mark.kind === "longpress" ? 0.8 : 0.4;
  return [...circles, draw("circle", { cx: x, cy: y, r: radius * held, class: "mark dot", "stroke-width": 0 })];
}
