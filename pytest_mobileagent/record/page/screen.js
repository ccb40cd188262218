"use strict";

// The phone's screen: the element under the pointer, and the person's actions.

const HOLD = 500; // milliseconds, like Android's long press
const SLIP = 14; // pixels that the pointer may move during a tap
const PAUSE = 700; // milliseconds after the last key until a text is typed on the phone
const HELP = "Click to tap, hold for a long press, drag to scroll; type while the phone has the focus.";
let state = null; // the last state from the server
let busy = false;
let pressed = null;
let hovered = 0; // the number of the last request for an element

const glass = byId("glass");

/** Fit the phone's screen into the window, in portrait and landscape. */
function fit() {
  if (!state) return;
  const [width, height] = state.size;
  const most = [Math.min(innerWidth - 36, Math.max(280, innerWidth * 0.4)), Math.max(260, innerHeight - 226)];
  const scale = Math.min(most[0] / width, most[1] / height, 1);
  glass.style.width = `${Math.round(width * scale)}px`;
  glass.style.height = `${Math.round(height * scale)}px`;
  byId("phone").style.width = `${Math.max(Math.min(300, most[0]), Math.round(width * scale))}px`;
}

function pixel(event) {
  const box = glass.getBoundingClientRect();
  const part = (at, from, size) => Math.min(Math.max((at - from) / size, 0), 0.9999);
  return [
    Math.floor(part(event.clientX, box.left, box.width) * state.size[0]),
    Math.floor(part(event.clientY, box.top, box.height) * state.size[1]),
  ];
}

/** Outline an element on the phone, and mark it in the list. */
function outline(bounds) {
  const line = byId("outline");
  line.hidden = !bounds;
  for (const button of byId("elements").querySelectorAll("button")) {
    const isUnder = button.dataset.bounds === String(bounds);
    button.classList.toggle("under", isUnder);
    if (isUnder && !button.matches(":hover, :focus")) byId("elements").scrollTop = button.offsetTop - byId("elements").clientHeight / 2;
  }
  if (!bounds) {
    byId("under").textContent = state?.phase === "work" ? HELP : "";
    return;
  }
  const [left, top, right, bottom] = bounds;
  line.style.left = `${(100 * left) / state.size[0]}%`;
  line.style.top = `${(100 * top) / state.size[1]}%`;
  line.style.width = `${(100 * (right - left)) / state.size[0]}%`;
  line.style.height = `${(100 * (bottom - top)) / state.size[1]}%`;
}

async function hover(x, y) {
  const question = ++hovered;
  const answer = await fetch(`element?x=${x}&y=${y}`).catch(() => null);
  if (!answer?.ok || question !== hovered) return;
  const found = await answer.json();
  outline(found.bounds);
  byId("under").replaceChildren(make("code", {}, found.selector), warning(found.warning));
}

const warning = (words) => (words ? make("span", { className: "warning" }, words) : "");

function ripple(x, y) {
  const mark = byId("ripple");
  mark.style.left = `${(100 * x) / state.size[0]}%`;
  mark.style.top = `${(100 * y) / state.size[1]}%`;
  mark.hidden = false;
  setTimeout(() => { mark.hidden = true; }, 250);
}

glass.addEventListener("pointermove", (event) => {
  if (!state || busy || pressed || state.phase !== "work") return;
  clearTimeout(glass.waiting);
  const [x, y] = pixel(event);
  glass.waiting = setTimeout(() => hover(x, y), 25);
});
glass.addEventListener("pointerleave", () => { clearTimeout(glass.waiting); hovered++; outline(null); });
glass.addEventListener("pointerdown", (event) => {
  if (!state || state.phase !== "work" || event.button) return;
  event.preventDefault();
  glass.focus();
  glass.setPointerCapture(event.pointerId);
  pressed = { at: pixel(event), place: [event.clientX, event.clientY], since: performance.now() };
});
glass.addEventListener("pointerup", (event) => {
  if (!pressed) return;
  const { at, place, since } = pressed;
  pressed = null;
  const [x, y] = pixel(event);
  const away = Math.hypot(event.clientX - place[0], event.clientY - place[1]);
  const seconds = (performance.now() - since) / 1000;
  ripple(...at);
  if (away > SLIP) {
    act({ action: "Swipe", x1: at[0], y1: at[1], x2: x, y2: y, seconds: Math.min(Math.max(seconds, 0.1), 2) });
  } else {
    act({ action: seconds * 1000 >= HOLD ? "LongPress" : "Tap", x: at[0], y: at[1] });
  }
});
glass.addEventListener("pointercancel", () => { pressed = null; });
glass.addEventListener("contextmenu", (event) => event.preventDefault());

// Text typed while the screen has the focus is sent in pieces, which the server joins.
let typed = "";
function flush(enter = false) {
  clearTimeout(glass.typing);
  const text = typed;
  typed = "";
  if (text) act({ action: "Type", text, enter });
  else if (enter) act({ action: "Key", name: "enter" });
}
glass.addEventListener("keydown", (event) => {
  if (!state || state.phase !== "work" || event.ctrlKey || event.metaKey || event.altKey) return;
  const keys = { Escape: "back", Backspace: "delete", Home: "home" };
  if (event.key === "Enter") flush(true);
  else if (event.key === "Backspace" && typed) typed = typed.slice(0, -1);
  else if (event.key in keys) act({ action: "Key", name: keys[event.key] });
  else if (event.key.length === 1) {
    typed += event.key;
    clearTimeout(glass.typing);
    glass.typing = setTimeout(flush, PAUSE);
  } else return;
  byId("busy").textContent = typed ? `typing: ${typed}` : "";
  event.preventDefault();
});
addEventListener("resize", fit);
