"use strict";

// Words that are looked for in whole episodes: goals, what agents said, and what was on the screens.

const AT_ONCE = 50; // episodes that are unpacked between two pictures of the page
const seen = new Map(); // by the name of an episode: a text for each frame, and the same in small letters
let reading = null; // while the texts are unpacked

const wordsIn = (parts) => parts.filter((part) => part.word && !part.not).map((part) => part.word);

// Unpack what episodes hold once somebody looks for words, and filter again by it.
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
    // The rest of the page can be used; what is damaged is told when the episode is opened.
  }
  seen.set(e, texts.map((text) => ({ text, low: text.toLowerCase() })));
}

const seenAt = (row, word) => seen.get(row.e)?.findIndex(({ low }) => low.includes(word)) ?? -1;

// Where a row that fits by what was said or seen holds the first word that its line does not: {step, text}.
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
