// The page of many devices: events of the daemon change the fleet, and the page is updated at most once per frame.

import { openMap } from "./base.js";
import { createDeviceHistory } from "./devicehistory.js";
import { createDeviceList, stateNames } from "./devicelist.js";
import { createDeviceMap } from "./devicemap.js";
import { createFleet, states } from "./fleet.js";
import { follow } from "./stream.js";
import * as units from "./units.js";
import { say, words } from "./words.js";

const byId = (id) => document.getElementById(id);
const fleet = createFleet();
const model = { connection: "connecting", state: undefined, clock: 0, selected: undefined, isFollowing: false };
const trails = new Map();
let map;
let frame;
let needsFind = false;

/// Seconds since the time of the last location, by the daemon's clock, because the browser's may be wrong.
function age(index) {
  const time = fleet.time[index];
  return Number.isNaN(time) ? undefined : Math.max(0, performance.now() / 1000 + model.clock - time);
}

const list = createDeviceList(fleet, { age, center: () => map?.center(), onPick: pick });

const past = createDeviceHistory(
  (points) => {
    if (points) setFollowing(false);
    map?.showPast(points);
  },
  (point) => map?.mark(point));

/// Selects a device and shows it on the map. On a phone the map may be above the screen, and the device's values move it.
function pick(index) {
  select(index);
  showSelected();
  byId("map").scrollIntoView({ block: "nearest" });
  map?.moveTo(index, true);
}

/// Selects the device that the page's address names, such as "#device=ann%2Fphone".
function selectByAddress() {
  const index = fleet.indexOf(new URLSearchParams(location.hash.slice(1)).get("device"));
  if (index !== undefined && index !== model.selected) pick(index);
}

function select(index) {
  model.selected = index;
  const id = fleet.ids[index];
  window.history.replaceState(null, "", id === undefined ? location.pathname : `#device=${encodeURIComponent(id)}`);
  past.offer(id);
  if (index === undefined) setFollowing(false);
  map?.select(index);
  list.select(index);
  if (model.isFollowing) map?.moveTo(index, false);
  schedule();
  fetchTrails();
}

function setFollowing(value) {
  model.isFollowing = value;
  byId("follow").setAttribute("aria-pressed", String(value));
  if (value) map?.moveTo(model.selected, true);
}

function showStatus() {
  const outage = model.state?.outage;
  const isLost = model.connection === "lost";
  const title = isLost ? words.noDaemon : outage ? words.nothingReceived : model.state ? words.devices : words.connecting;
  const counts = [0, 0, 0];
  for (const state of fleet.states) counts[state] += 1;
  const count = say(words.counts, counts[states.current], counts[states.stale], counts[states.searching]);
  const detail = isLost ? words.noAnswer
    : !model.state ? words.waiting
    : outage ? say(words.outage, units.time(outage.since).local, outage.reason, count) : count;
  const isCurrent = fleet.count === 0 || counts[states.current] > 0;
  document.body.dataset.status = isLost ? "no-daemon" : !model.state ? "connecting" : outage ? "no-source"
    : isCurrent ? "live" : "stale";
  document.body.classList.toggle("old", isLost);
  document.title = `${title} – rxlocationd`;
  byId("show-all").disabled = fleet.count === 0 && !model.state?.fences.length;
  for (const [id, text] of [["status-title", title], ["status-detail", detail]]) {
    if (byId(id).textContent !== text) byId(id).textContent = text;
  }
  if (byId("announcer").textContent !== title) byId("announcer").textContent = title;
}

const known = (value) => (Number.isNaN(value) ? undefined : value);

function showSelected() {
  const index = model.selected;
  byId("device").hidden = index === undefined;
  byId("follow").disabled = index === undefined;
  if (index === undefined) return;
  const speed = units.speed(known(fleet.speed[index]));
  const time = known(fleet.time[index]);
  const seconds = age(index);
  const texts = {
    "device-title": fleet.title(index),
    "device-id": fleet.names[index] ? fleet.ids[index] : "",
    "device-state": stateNames[fleet.states[index]],
    "device-battery": Number.isNaN(fleet.battery[index]) ? "–" : `${fleet.battery[index]} %`,
    "device-fence": fleet.within(index) || "–",
    "device-speed": `${speed.value} ${speed.unit}`.trim(),
    "device-altitude": units.length(known(fleet.altitude[index])),
    "device-accuracy": units.lengthAccuracy(known(fleet.accuracy[index])) || "–",
    "device-time": units.time(time === undefined ? undefined : time * 1000).local,
    "device-age": seconds === undefined ? "–" : say(words.ago, units.duration(seconds)),
    "device-place": units.place({ latitude: known(fleet.latitude[index]), longitude: known(fleet.longitude[index]) })
      .filter((line) => line && line !== "–").join(", ") || "–",
  };
  for (const [id, text] of Object.entries(texts)) byId(id).textContent = units.unbroken(text);
  byId("device").classList.toggle("stale", fleet.states[index] !== states.current);
}

function show() {
  frame = undefined;
  if (needsFind) list.find();
  else list.show();
  needsFind = false;
  showStatus();
  showSelected();
  map?.schedule();
}

function schedule() {
  frame ??= requestAnimationFrame(show);
}

// Trails are requested when the map is at rest, one after the other, and kept for a minute.
let rest;
let isFetching = false;

function fetchTrails() {
  clearTimeout(rest);
  if (model.state?.history && byId("show-trails").getAttribute("aria-pressed") === "true") rest = setTimeout(readTrails, 400);
}

async function readTrails() {
  if (isFetching || !map) return;
  isFetching = true;
  const since = new Date((performance.now() / 1000 + model.clock - 86_400) * 1000).toISOString();
  const wanted = map.inView();
  for (const index of wanted) {
    if (performance.now() - (trails.get(index)?.at ?? -Infinity) < 60_000) continue;
    const device = encodeURIComponent(fleet.ids[index]);
    const answer = await fetch(`trail.json?device=${device}&since=${since}`).catch(() => undefined);
    if (answer?.ok) trails.set(index, { at: performance.now(), points: await answer.json() });
  }
  for (const index of trails.keys()) if (!wanted.includes(index)) trails.delete(index);
  showTrails();
  isFetching = false;
}

function showTrails() {
  map.showTrails([...trails].map(([index, { points }]) => {
    const last = [fleet.latitude[index], fleet.longitude[index]];
    return [index, Number.isNaN(last[0]) ? points : [...points, last]];
  }));
}

const changes = {
  state(state) {
    const { devices, ...rest } = state;
    const before = model.state;
    // The daemon may have restarted; the selection is kept.
    const selected = fleet.ids[model.selected];
    fleet.clear();
    fleet.store(devices);
    trails.clear();
    model.state = rest;
    model.clock = Date.parse(rest.now) / 1000 - performance.now() / 1000;
    model.selected = selected === undefined ? undefined : fleet.indexOf(selected);
    if (rest.units) units.use(rest.units);
    byId("show-trails").hidden = byId("device-past").hidden = !rest.history;
    needsFind = true;
    if (before) map?.select(model.selected);
    else loadMap().then(selectByAddress);
  },
  devices(entries) {
    const before = fleet.count;
    fleet.store(entries);
    // An order by age or distance changes with time and is refreshed below.
    if (fleet.count > before) {
      needsFind = true;
      map?.widen();
      if (model.selected === undefined) selectByAddress();
    }
    if (model.isFollowing) map?.moveTo(model.selected, false);
    if (trails.size > 0) showTrails();
  },
  status: ({ outage }) => Object.assign(model.state, { outage }),
  alive() {},
};

async function loadMap() {
  map = await openMap(model.state, (L) => createDeviceMap(L, model.state, fleet, {
    onPick: select,
    onMove: () => {
      if (list.sortsByDistance()) needsFind = true;
      schedule();
      fetchTrails();
    },
    onDrag: () => setFollowing(false),
  }));
  schedule();
}

window.addEventListener("hashchange", selectByAddress);
units.offerCoordinates(byId("coordinates"), schedule);
byId("follow").addEventListener("click", () => setFollowing(!model.isFollowing));
byId("show-all").addEventListener("click", () => {
  setFollowing(false);
  map.showAll();
});
byId("show-trails").addEventListener("click", ({ currentTarget: button }) => {
  const isShown = button.getAttribute("aria-pressed") !== "true";
  button.setAttribute("aria-pressed", String(isShown));
  trails.clear();
  map.showTrails([]);
  if (isShown) fetchTrails();
});
byId("unselect").addEventListener("click", () => {
  select(undefined);
  byId("search").focus();
});

follow(model, changes, schedule);
// Ages grow.
setInterval(schedule, 1000);
// The order by age or distance follows the changes, but slowly enough to stay readable.
setInterval(() => {
  if (byId("order").value !== "name") needsFind = true;
}, 5000);
