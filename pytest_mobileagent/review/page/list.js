"use strict";

// The list of episodes: elements exist only for the visible rows, however long the list is.

const ROW = 58; // pixels, as in the styles
const SPARE = 5; // rows above and below the visible ones

function showQueue(queue) {
  state.queue = queue;
  const words = { ...WORDS, ...queue.words };
  state.words = words;
  showWords(words);
  state.places = new Map(queue.items.map((item, place) => [item[0], place]));
  const decided = queue.items.filter((item) => item[3] !== null).length;
  byId("run").textContent = byId("run").title = [words.title, queue.run, queue.agent].filter(Boolean).join(" · ");
  byId("left").textContent = [`${queue.left} left`, queue.broken && `${queue.broken} whose judge broke`, `${decided} decided`, queue.goes_on && "the run goes on"].filter(Boolean).join(" · ");
  document.title = `${queue.left} left · ${words.title}`;
  byId("who").placeholder = queue.who;
  showProblem(queue.problem);
  showQuestions(queue.questions ?? []);
  byId("rows").style.height = `${queue.items.length * ROW}px`;
  showRows();
  showUnclear();
}

// The labels of the page; a queue of other items than episodes has its own.
const WORDS = {
  title: "Review", question: "Was the goal met?", pass: "Pass", fail: "Fail", passed: "passed", failed: "failed", text: "",
  help: "pass: the goal was met", help_fail: "fail: it was not",
};

function showWords(words) {
  byId("question").textContent = words.question;
  byId("pass").firstChild.data = `${words.pass} `;
  byId("fail").firstChild.data = `${words.fail} `;
  byId("help-pass").textContent = words.help;
  byId("help-fail").textContent = words.help_fail;
  for (const node of document.querySelectorAll(".of-text")) node.hidden = !words.text;
  for (const node of document.querySelectorAll(".of-notes")) node.hidden = Boolean(words.text);
  if (words.text) byId("text-label").firstChild.data = `${words.text} `;
}

function showRows() {
  const list = byId("list");
  const items = state.queue.items;
  const first = Math.max(0, Math.floor(list.scrollTop / ROW) - SPARE);
  const end = Math.min(items.length, Math.ceil((list.scrollTop + list.clientHeight) / ROW) + SPARE);
  byId("rows").replaceChildren(...items.slice(first, end).map((item, place) => row(item, first + place)));
  const chosen = byId(`row-${state.current}`);
  if (chosen) list.setAttribute("aria-activedescendant", chosen.id);
  else list.removeAttribute("aria-activedescendant");
}

function row([number, name, outcome, passed, who], place) {
  const settled = passed === null && outcome !== "review" && outcome !== "error";
  const className = passed === true ? "passed" : passed === false ? "failed" : settled ? "settled" : "";
  const said = passed === null ? (settled ? outcome : "open") : `${state.words[className]} by ${asText(who) || "somebody"}`;
  const node = make("div", { id: `row-${number}`, className: `row ${className}${state.words.text ? " said" : ""}`, role: "option", title: name },
    make("b", {}, make("bdi", { dir: "auto" }, name)), make("small", {}, said));
  node.setAttribute("aria-selected", String(number === state.current));
  node.setAttribute("aria-posinset", place + 1);
  node.setAttribute("aria-setsize", state.queue.items.length);
  node.style.top = `${place * ROW}px`;
  node.addEventListener("click", () => choose(number));
  return node;
}

function bringIntoSight(number) {
  const list = byId("list");
  const top = (state.places.get(number) ?? 0) * ROW;
  if (top < list.scrollTop) list.scrollTop = top;
  else if (top + ROW > list.scrollTop + list.clientHeight) list.scrollTop = top + ROW - list.clientHeight;
  showRows();
}

const isOpen = ([, , outcome, passed]) => passed === null && (outcome === "review" || outcome === "error");

function nextOpen() {
  const items = state.queue.items;
  const from = state.places.get(state.current) ?? -1;
  for (let far = 1; far <= items.length; far += 1) {
    const item = items[(from + far) % items.length];
    if (isOpen(item) && item[0] !== state.current) return item[0];
  }
  return null;
}

function neighbour(by) {
  const items = state.queue.items;
  const place = (state.places.get(state.current) ?? 0) + by;
  return place >= 0 && place < items.length ? items[place][0] : state.current;
}

function showProblem(text) {
  byId("problem").textContent = text;
  byId("problem").hidden = !text;
}
