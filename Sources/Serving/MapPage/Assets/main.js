// The page of one receiver: events of the daemon change a model, which is shown at most once per frame.

import { openMap } from "./base.js";
import { createChart } from "./chart.js";
import { createHistory } from "./history.js";
import { createMap } from "./map.js";
import { createPanel } from "./panel.js";
import { createReplay } from "./replay.js";
import { statusOf } from "./status.js";
import { follow } from "./stream.js";
import * as units from "./units.js";
import { words } from "./words.js";

// `past` is an earlier period that is shown in place of live data; at `pausedAt` a paused replay had its last change.
const model = { connection: "connecting", state: undefined, fixedAt: undefined, pausedAt: undefined, past: undefined };
const updatePanel = createPanel((name) => map?.showPlace(name));
const chart = createChart((point) => map?.mark(point), (name) => map?.showPlace(name));
const updateReplay = createReplay();
const history = createHistory(lookBack, goLive);
let map;
let frame;

function lookBack(past) {
  model.past = past;
  units.useClock(past.clock);
  chart.show(past.trail, past.places);
  map?.lookAt(past.trail);
  schedule();
}

/// The daemon's trail includes the points since the page left live data.
async function goLive() {
  const state = await fetch("state.json").then((answer) => answer.json()).catch(() => undefined);
  model.past = undefined;
  units.useClock();
  chart.show();
  if (state) map?.replaceTrail(state.trail ?? []);
  map?.follow();
  schedule();
}

/// Seconds since the last fix was received, by the page's own clock, which stands still while a replay is paused.
function age() {
  return model.fixedAt === undefined ? undefined : ((model.pausedAt ?? performance.now()) - model.fixedAt) / 1000;
}

function setAge(seconds) {
  const now = performance.now();
  model.fixedAt = seconds === undefined ? undefined : now - seconds * 1000;
  if (model.pausedAt !== undefined) model.pausedAt = now;
}

function setPaused(isPaused) {
  const now = performance.now();
  if (!isPaused && model.pausedAt !== undefined && model.fixedAt !== undefined) model.fixedAt += now - model.pausedAt;
  model.pausedAt = isPaused ? model.pausedAt ?? now : undefined;
}

function show() {
  frame = undefined;
  const { state, past } = model;
  updatePanel(state, statusOf(model, age()), age(), past ?? state);
  if (!state) return;
  updateReplay(state, model.connection === "lost");
  map?.update(state, past ?? state);
  if (state.history) history.offer(state.location);
}

function schedule() {
  frame ??= requestAnimationFrame(show);
}

/// Applies an event of the daemon to the model.
const changes = {
  state(state) {
    const before = model.state;
    model.state = state;
    setPaused(state.replay?.paused);
    setAge(state.age);
    if (state.units) units.use(state.units);
    units.useClock((model.past ?? state).clock);
    if (state.summary) chart.show(state.trail, state.places);
    if (map) {
      if (!model.past) map.replaceTrail(state.trail ?? []);
      delete state.trail;
    } else if (!before) {
      loadMap();
    }
  },
  location({ location, trip, stop, fix, age, trail }) {
    Object.assign(model.state, { location, trip, stop, fix });
    setAge(age);
    // Returning to live data loads the trail again.
    if (!trail || model.past) return;
    if (map) {
      map.append(location, trail === "break");
    } else if (model.state.trail) {
      // Leaflet is still being loaded.
      if (trail === "break") model.state.trail.push(null);
      const { latitude, longitude, speed, time, altitude } = location;
      model.state.trail.push([latitude, longitude, speed, Date.parse(time) / 1000, altitude]);
    }
  },
  status({ source, fix, age }) {
    Object.assign(model.state, { source, fix });
    if (age !== undefined) setAge(age);
  },
  satellites: (satellites) => Object.assign(model.state, { satellites }),
  fences: (fences) => Object.assign(model.state, { fences }),
  sides(sides) {
    const states = new Map(sides);
    for (const fence of model.state.fences) fence.state = states.get(fence.id) ?? fence.state;
  },
  region: (region) => Object.assign(model.state, { region }),
  replay(replay) {
    model.state.replay = replay;
    setPaused(replay.paused);
  },
  alive() {},
};

/// Browsers have no clipboard for a page from another host without https, but they copy a selection.
async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const field = document.body.appendChild(Object.assign(document.createElement("textarea"), { value: text, className: "unseen" }));
    field.select();
    const isCopied = document.execCommand("copy");
    field.remove();
    return isCopied;
  }
}

document.getElementById("copy").addEventListener("click", async ({ currentTarget: button }) => {
  const { latitude, longitude } = model.state?.location ?? {};
  if (latitude === undefined) return;
  const shown = units.place({ latitude, longitude }).filter(Boolean).join(", ");
  // Other programs read decimal degrees without letters.
  const isDegrees = document.getElementById("coordinates").value === "degrees";
  const isCopied = await copy(isDegrees ? `${latitude.toFixed(6)}, ${longitude.toFixed(6)}` : shown);
  button.textContent = isCopied ? words.copied : words.notAllowed;
  setTimeout(() => (button.textContent = words.copy), 2000);
});

units.offerCoordinates(document.getElementById("coordinates"), schedule);

const wholeScreen = document.getElementById("whole-screen");
wholeScreen.hidden = !document.fullscreenEnabled;
wholeScreen.addEventListener("click", () => {
  if (document.fullscreenElement) document.exitFullscreen();
  else document.documentElement.requestFullscreen();
});
document.addEventListener("fullscreenchange", () => {
  wholeScreen.setAttribute("aria-pressed", String(Boolean(document.fullscreenElement)));
});

async function loadMap() {
  map = await openMap(model.state, (L) => createMap(L, model.state));
  // The map has copied it, or there is no map.
  delete model.state.trail;
  schedule();
}

follow(model, changes, schedule);
// The age grows.
setInterval(schedule, 500);
