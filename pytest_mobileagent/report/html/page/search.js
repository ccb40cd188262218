"use strict";

// The full-text search in episodes: goals, agents' messages, and texts on screens.

const AT_ONCE = 50; // episodes that are decompressed per animation frame
const seen = new Map(); // by the name of an episode: a text for each frame, also in lower case
let reading = null; // the promise while the texts are decompressed

const wordsIn = (parts) => parts.filter((part) => part.word && !part.not).map((part) => part.word);

// Decompress the texts of episodes on the first search, and then apply the filter again.
function readEpisodes() {
  if (reading || !wordsIn(parseFilter(state.filter)).length) return;
  const names = state.rows.map((row) => row.e).filter((e) => e && !seen.has(e) && byId(`w:${e}`));
  if (!names.length) return;
  reading = (async () => {
    for (let at = 0; at < names.length; at += AT_ONCE) {
      byId("count").textContent = `looking into ${number(names.length)} episodes …`;
      await Promise.all(names.slice(at, at + AT_ONCE).map(readEpisode));
      await new Promise((resume) => { setTimeout(resume); });
    }
    reading = null;
    applyFilter();
  })();
}

async function readEpisode(e) {
  let texts = [];
  try {
    texts = (await unpack(`w:${e}`)).map(asText);
  } catch {
    // The rest of the page is usable; opening the episode shows what is damaged.
  }
  seen.set(e, texts.map((text) => ({ text, low: text.toLowerCase() })));
}

const seenAt = (row, word) => seen.get(row.e)?.findIndex(({ low }) => low.includes(word)) ?? -1;

// The place of the first searched word that a row's own line does not contain: {step, text}.
function hitOf(row, wanted) {
  for (const word of wanted) {
    const at = row.words.includes(word) ? -1 : seenAt(row, word);
    if (at >= 0) {
      const text = seen.get(row.e)[at].text.split("\n").find((line) => line.toLowerCase().includes(word));
      return { step: at + 1, text: asText(text).slice(0, 200) };
    }
  }
  return null;
}
