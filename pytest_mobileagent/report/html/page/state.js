"use strict";

// What the page knows, and the address that says what it shows.

const state = {
  run: null,     // the index of the run; of two, that of the newer
  other: null,   // the index of the run that it is compared with
  rows: [],      // all rows
  apps: new Map(), // how many packages have a short name
  stem: "",      // the folders that all tasks are in
  epochs: false, // whether tasks were run more than once
  shown: [],     // those that fit the filter, in order
  filter: "",    // as it is typed
  wanted: [],    // the words in it
  allCauses: false, // whether rare causes of failures are listed, too
  chosen: -1,    // the place in `shown` that the keys move
  e: null,       // the episode that is open
  paired: null,  // the episode beside it
  row: null,
  episode: null, // its data; null while it loads
  frame: 0,      // the index of the frame that is shown
  playing: null, // the timer while it plays
};

// The place in this page: {e, other, s, f}; s counts steps from 1.
function readAddress() {
  const given = new URLSearchParams(location.hash.slice(1));
  return { e: given.get("e"), other: given.get("with"), s: Number.parseInt(given.get("s"), 10) || null, f: given.get("f") || "" };
}

// Half a character, as a cut text ends with, has no place in an address.
const encoded = (value) => encodeURIComponent(String(value).replace(/[\ud800-\udfff]/gu, "\ufffd"));

function addressOf({ e = null, other = null, s = null, f = state.filter }) {
  const parts = [["e", e], ["with", e && other], ["s", e && s], ["f", f]].filter(([, value]) => value);
  return `#${parts.map(([name, value]) => `${name}=${encoded(value)}`).join("&")}`;
}

// An address that was set a moment ago, and leads elsewhere, is gone to once the browser tells of it.
function keepAddress(place) {
  const { e, other } = readAddress();
  if (e !== (place.e ?? null) || other !== (place.other ?? null)) return;
  const address = addressOf(place);
  if (address !== (location.hash || "#")) history.replaceState(null, "", address);
}

function entitle(text) {
  document.title = text.replace(/[\u0000-\u001f\ud800-\udfff\u202a-\u202e\u2066-\u2069]/gu, " ").slice(0, 200);
}

function showProblem(text) {
  byId("problem").textContent = text;
  byId("problem").hidden = !text;
}

function tell(text) {
  byId("status").textContent = text;
  clearTimeout(tell.timer);
  tell.timer = setTimeout(() => { byId("status").textContent = ""; }, 4000);
}
