"use strict";

// The compressed data blocks in this document, which are decompressed when they are needed.

const KEPT = 8; // decompressed episodes in memory
const opened = new Map(); // by the id of their block; the most recently used is last

function bytesOf(node) {
  const text = atob(node.textContent);
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at += 1) bytes[at] = text.charCodeAt(at);
  return bytes;
}

async function unpack(id) {
  const node = byId(id);
  if (!node) return null;
  if (typeof DecompressionStream === "undefined") {
    throw new Error("This browser is too old for this page, which needs Chrome or Edge 97, Firefox 113, Safari 16.4 or newer.");
  }
  try {
    const unpacked = new Blob([bytesOf(node)]).stream().pipeThrough(new DecompressionStream("gzip"));
    return JSON.parse(await new Response(unpacked).text());
  } catch (error) {
    throw new Error(`This page is damaged: its block ${id} cannot be read (${error.message}): write it again with "python -m pytest_mobileagent report RUN --format=html".`);
  }
}

// Shows the index of a page that needs nothing else, or why it cannot be shown.
async function openPage(what, show) {
  try {
    const index = await unpack("index");
    if (!index) throw new Error(`This page contains no ${what}.`);
    show(index);
  } catch (error) {
    byId("problem").textContent = error.message;
    byId("problem").hidden = false;
  }
}

async function episodeOf(name) {
  const id = `e:${name}`;
  if (!byId(id)) return state.run.live ? liveEpisode(name) : null;
  const known = opened.get(id) || unpack(id);
  opened.delete(id);
  opened.set(id, known); // as the most recently used
  if (opened.size > KEPT) opened.delete(opened.keys().next().value);
  try {
    return await known;
  } catch (error) {
    opened.delete(id);
    throw error;
  }
}
