"use strict";

// The state of the page, and the address that describes what is shown.

const state = {
  run: null,     // the index of the run, not of its baseline
  other: null,   // the index of the baseline, if any
  rows: [],      // all rows
  apps: new Map(), // the number of packages by short name
  leaves: new Map(), // the number of tasks by name without folders
  stem: "",      // the folders that all task names begin with
  epochs: false, // whether tasks have several epochs
  tasks: [],     // the tasks, each with its rows: one for each epoch
  shown: [],     // the rows that fit the filter, in order
  lines: [],     // the lines of the list (see `arrange`)
  unfolded: new Set(), // the keys of the tasks whose epochs are listed
  filter: "",    // the text as typed
  wanted: [],    // the words in the filter
  allCauses: false, // whether rare causes of failures are also listed
  chosen: -1,    // the index in `lines` of the line chosen by keys
  e: null,       // the open episode
  paired: null,  // the baseline's episode beside it
  row: null,
  episode: null, // the data of the open episode; null while it loads
  frame: 0,      // the index of the current frame
  playing: null, // the timer during playback
};

// The place in this page: {e, other, s, f}; s counts steps from 1.
function readAddress() {
  const given = new URLSearchParams(location.hash.slice(1));
  return { e: given.get("e"), other: given.get("with"), s: Number.parseInt(given.get("s"), 10) || null, f: given.get("f") || "" };
}

// A lone surrogate, at the end of a cut text, cannot be encoded in an address.
const encoded = (value) => encodeURIComponent(String(value).replace(/[\ud800-\udfff]/gu, "\ufffd"));

function addressOf({ e = null, other = null, s = null, f = state.filter }) {
  const parts = [["e", e], ["with", e && other], ["s", e && s], ["f", f]].filter(([, value]) => value);
  return `#${parts.map(([name, value]) => `${name}=${encoded(value)}`).join("&")}`;
}

// What the reader chose, such as the width of a pane; only for this visit if the browser keeps nothing.
let kept = {};
try { kept = localStorage; } catch { /* it is not allowed */ }
const remembered = (name, otherwise = "") => kept[`mobileagent ${name}`] ?? otherwise;
const remember = (name, value) => { kept[`mobileagent ${name}`] = String(value); };

// A different address that was just set takes effect when the browser reports it.
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
