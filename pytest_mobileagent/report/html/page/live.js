"use strict";

// A running run: the page polls its server for news.

const LOOK_AGAIN = 2000; // ms
const OWN = /^[\w-][\w./-]*$/; // a path below the page
const MOST_MISSED = 5; // consecutive failed requests
let knownState = "";
let missed = 0;
let isBehind = false; // whether the overview is outdated
let latest = null; // the rows of the last episodes that have ended, the newest first
const LATEST = 4;

// Show that the page will not be updated any more.
function endLooking(text) {
  byId("ended").textContent = text;
  byId("ended").hidden = false;
  showPhones([]);
  byId("progress").hidden = byId("latest").hidden = true;
}

async function ask(path) {
  const given = knownState && path === state.run.live.state_url ? { headers: { "If-None-Match": knownState } } : {};
  const answer = await fetch(path, { ...given, cache: "no-store" });
  if (answer.status === 304 || answer.status === 404) return null;
  if (!answer.ok) throw new Error(`The run's server responds with status ${answer.status}.`);
  if (path === state.run.live.state_url) knownState = answer.headers.get("ETag") || "";
  return answer.json();
}

async function liveEpisode(e) {
  const path = state.run.live?.episode_url;
  return path && OWN.test(path) ? ask(`${path}?e=${encoded(e)}`) : null;
}

async function keepLooking() {
  const path = state.run.live?.state_url;
  if (!path || !OWN.test(path) || location.protocol === "file:") return; // a saved page has no server
  let ended = false;
  const wasRunning = state.row?.outcome === "running";
  try {
    const news = document.visibilityState === "visible" ? await ask(path) : null;
    if (news) ended = showNews(news, state.run.live);
    if (ended) endLooking("The run has ended.");
    missed = 0;
    const isDone = wasRunning && state.row?.outcome !== "running"; // the episode has ended
    if (state.e && !state.paired && wasRunning) await refreshEpisode(isDone);
  } catch {
    missed += 1;
    ended = missed > MOST_MISSED;
    if (ended) endLooking("The run has ended, or cannot be reached: report.html in its folder has the rest.");
  }
  if (!ended) setTimeout(keepLooking, LOOK_AGAIN); // only after the answer, which may take long for a large run
}

function showNews(news, live) {
  if (news.index) {
    const before = new Map(state.rows.map((row) => [row.e, row.outcome]));
    state.run = { ...news.index, live };
    state.rows = rowsOf(state.run, state.other);
    showLatest(state.rows.filter((row) => row.e && row.outcome !== "running" && (!latest || before.get(row.e) !== row.outcome)));
    if (state.e) state.row = rowOf(state.e);
    if (!state.e) {
      showOverview();
    } else {
      arrange();
      isBehind = true;
    }
  }
  showPhones(news.phones || []);
  showProgress(news.progress, news.phones || []);
  return news.ended === true;
}

// Show new steps of the open episode; if the last step is shown, move on to the new last one.
async function refreshEpisode(anew) {
  const e = state.e;
  const episode = await liveEpisode(e);
  if (!episode || state.e !== e || !state.episode || (!anew && episode.frames.length === state.episode.frames.length)) return;
  const wasLast = state.frame >= state.episode.frames.length - 1;
  state.episode = episode;
  showHead();
  showWhy(state.row, episode);
  showStrip(episode);
  showFrame(wasLast ? episode.frames.length - 1 : state.frame, { anew: true });
}

function showLatest(ended) {
  latest = [...ended.reverse(), ...(latest || [])].slice(0, LATEST);
  byId("latest").hidden = !latest.length;
  byId("latest").replaceChildren("Latest: ", ...latest.map((row) => make("a", { href: addressOf({ e: row.e }), title: asText(row.reason) }, outcomeMark(row.outcome, false), make("bdi", {}, titleOfTask(row)))));
}

// The progress of the run, and what it waits for before its first episode.
function showProgress(progress, phones) {
  const { done, all, left } = progress || {};
  byId("progress").hidden = !known(done);
  if (!known(done)) return;
  const waits = all ? `${count(all, "task")} selected: waiting for the first phone to be ready` : "Waiting for pytest to collect the tasks";
  const parts = done || phones.length ? [`${number(done)} of ${number(all)} done`, known(left) ? `about ${duration(left)} left, until ${new Date(Date.now() + 1000 * left).toTimeString().slice(0, 5)}` : ""] : [waits];
  byId("progress").textContent = parts.filter(Boolean).join(" · ");
}

function showPhones(phones) {
  byId("phones").hidden = !phones.length;
  byId("phones").replaceChildren(...phones.map((phone) => {
    const words = [known(phone.step) ? `step ${phone.step}${known(phone.of) ? `/${phone.of}` : ""}` : "", known(phone.task) ? asText(phone.task) : "idle"];
    return make("a", { className: "phone", ...(phone.e ? { href: addressOf({ e: phone.e }) } : {}) },
      make("span", { className: "shot" }, pictureOf(phone.picture, { size: null, alt: `Screen of ${asText(phone.device)}` })),
      make("b", { dir: "auto" }, asText(phone.device)), make("small", { dir: "auto", title: asText(phone.task) }, words.filter(Boolean).join(" · ")));
  }));
}
