"use strict";

// What the page knows.

const state = {
  queue: null,      // as the server gives it
  places: new Map(), // where in the list each episode is, by its number
  current: null,    // the number of the chosen episode
  episode: null,    // what is shown; null while it loads
  step: 0,
  undoable: [],     // the numbers of what was decided in this tab, the last at the end
  words: {},        // what the page calls what it shows
  busy: false,      // a verdict is on its way
};
