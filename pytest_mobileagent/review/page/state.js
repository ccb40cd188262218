"use strict";

// The state of the page.

const state = {
  queue: null,      // as received from the server
  places: new Map(), // the index of each episode in the list, by its number
  current: null,    // the number of the chosen episode
  opened: null,     // the number of the episode whose trajectory is shown although it is unclear
  episode: null,    // the data of the chosen episode; null while it loads
  step: 0,
  undoable: [],     // the numbers of the episodes decided in this tab, the latest last
  words: {},        // the labels of the page
  busy: false,      // whether a verdict is being sent
};
