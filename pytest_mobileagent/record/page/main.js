// Requests to the server, and showing their results.

let timer = 0;
let left = false; // whether the page has nothing more to ask the server for
let queue = Promise.resolve(); // of actions, since people are faster than phones

async function send(what, given) {
  if (busy || left) return;
  busy = true;
  byId("busy").textContent = "one moment …";
  try {
    const answer = await post(what, given);
    const found = await answer.json();
    problem(answer.ok ? "" : found.error);
    if (answer.ok) show(found);
    return found;
  } catch {
    gone();
  } finally {
    busy = false;
    if (!left) byId("busy").textContent = typed ? `typing: ${typed}` : "";
  }
}

function gone() {
  clearTimeout(timer);
  problem("The command that serves this page has ended.");
}

/** Replace the page by a last message, and ask the server for nothing more. */
function leave(words) {
  left = true;
  clearTimeout(timer);
  sessionStorage.clear();
  document.body.replaceChildren(make("main", {}, make("p", {}, words)));
}

const post = (what, given) => fetch(`do/${what}`, {
  method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(given),
});
/** Ask for something after all that was typed and asked for before. */
function ask(what, given) {
  flush();
  queue = queue.then(() => send(what, given));
}
const act = (action) => ask("act", { action });

function problem(words) {
  byId("problem").textContent = words;
  byId("problem").hidden = !words;
}

// What was typed and ticked is still there when the page is loaded again.
const FIELDS = "input, textarea, select";
const place = (field) => `${state.file ?? state.goal} ${field.id}`;
function keep() {
  for (const field of document.querySelectorAll(FIELDS)) sessionStorage.setItem(place(field), field.type === "checkbox" ? field.checked : field.value);
}
function restore(fields) {
  for (const field of fields) {
    const kept = sessionStorage.getItem(place(field));
    if (kept !== null) Object.assign(field, field.type === "checkbox" ? { checked: kept === "true" } : { value: kept });
  }
}
document.addEventListener("input", keep);

function show(found) {
  const before = state;
  state = found;
  const isRecorded = found.mode === "record";
  if (!before) begin();
  if (before?.number !== found.number) byId("shot").src = `screen/${found.number}`;
  if (String(before?.size) !== String(found.size)) fit();
  if (found.lost) problem(`The phone is lost: ${found.lost}. Your actions are saved: continue with --continue.`);
  if (found.notice) problem(found.notice);
  byId("work").hidden = found.phase !== "work";
  byId("checks").hidden = found.phase === "work" || !isRecorded;
  document.body.classList.toggle("over", found.phase !== "work");
  byId("undo").disabled = !found.moves.length;
  byId("moves").replaceChildren(...found.moves.map((move) => make("li", {}, move.words, warning(move.warning))));
  byId("moves").scrollTop = byId("moves").scrollHeight;
  if (before?.number !== found.number) listElements();
  outline(null);
  if (found.reply) byId("under").textContent = `The user says: ${found.reply}`;
  if (isRecorded) {
    showChecks();
    showTrials();
    preview();
  }
  showNext();
  if (found.phase === "ended") leave("The task has ended. You can close this page.");
  else later();
}

function begin() {
  const isPlayed = state.mode === "play";
  document.body.className = state.mode;
  byId("title").textContent = isPlayed ? "Play a task" : "Record a task";
  byId("file").textContent = byId("file").title = state.file ?? "";
  byId("next-words").dir = "auto";
  byId("phases").hidden = byId("undo").hidden = byId("test").hidden = isPlayed;
  byId("asking").hidden = !isPlayed;
  byId("apps").replaceChildren(...state.apps.map((app) => new Option(app, app)));
  restore(document.querySelectorAll(FIELDS));
}

function later() {
  clearTimeout(timer);
  timer = setTimeout(again, state.phase === "tried" ? 500 : 1500);
}

function listElements() {
  byId("elements").replaceChildren(...state.elements.map((element) => {
    const button = make("button", { type: "button", dir: "auto" }, element.label);
    const [left, top, right, bottom] = element.bounds;
    const at = [Math.floor((left + right) / 2), Math.floor((top + bottom) / 2)];
    button.dataset.bounds = String(element.bounds);
    for (const event of ["focus", "pointerenter"]) button.addEventListener(event, () => { outline(element.bounds); hover(...at); });
    for (const event of ["blur", "pointerleave"]) button.addEventListener(event, () => { hovered++; outline(null); });
    button.addEventListener("click", () => act({ action: "Tap", x: at[0], y: at[1] }));
    return make("li", {}, button);
  }));
}

/** Check whether the phone has changed by itself, or a trial has made progress. */
async function again() {
  if (!busy && !pressed && !document.hidden) {
    const working = state.phase === "work";
    const answer = await (working ? post("look", {}) : fetch("state")).catch(() => null);
    if (left) return;
    if (!answer) return gone();
    const found = answer.ok && await answer.json();
    const names = working ? ["number", "phase"] : ["phase", "trials"];
    const changed = found && names.some((name) => JSON.stringify(found[name]) !== JSON.stringify(state[name]));
    if (changed && !busy && !left) show(found);
  }
  if (!left) later();
}

function submitted(form, then) {
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    then();
    form.reset();
    keep();
  });
}

for (const button of document.querySelectorAll("button[data-key]")) {
  button.addEventListener("click", () => act({ action: "Key", name: button.dataset.key }));
}
submitted(byId("typing"), () => byId("text").value && act({ action: "Type", text: byId("text").value, clear: byId("clear").checked }));
submitted(byId("opening"), () => byId("app").value.trim() && act({ action: "Open", app: byId("app").value.trim() }));
byId("refresh").addEventListener("click", () => send("refresh", {}));
byId("undo").addEventListener("click", () => ask("undo", {}));
byId("done").addEventListener("click", () => ask("finish", { how: "done", words: "" }));
for (const form of document.querySelectorAll("form[data-how]")) {
  submitted(form, () => ask("finish", { how: form.dataset.how, words: form.querySelector("input").value }));
}
fetch("state").then((answer) => answer.json()).then(show);
history.replaceState(null, "", location.pathname); // the token is in the cookie now
