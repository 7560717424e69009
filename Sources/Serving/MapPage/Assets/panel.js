// The values beside the map, as text. Unchanged text is not written again.

import { phasesOf, sketchOf } from "./fences.js";
import { figuresOf } from "./figures.js";
import { createSky } from "./sky.js";
import { nameOf } from "./status.js";
import * as units from "./units.js";
import { say, words } from "./words.js";

const element = (id) => document.getElementById(id);

function setText(id, plain) {
  const [target, text] = [element(id), units.unbroken(plain)];
  if (target.textContent !== text) target.textContent = text;
}

/// Shows a text that is cut if it is too long; its tooltip has the whole text.
function setCut(id, text) {
  setText(id, text);
  element(id).title = text;
}

function setHidden(id, isHidden) {
  if (element(id).hidden !== isHidden) element(id).hidden = isHidden;
}

/// Shows a number large and its unit small.
function setMeasure(id, value, unit) {
  const target = element(id);
  const text = unit ? `${value} ${unit}` : value;
  if (target.textContent === text) return;
  const name = document.createElement("span");
  name.className = "unit";
  name.textContent = unit ? ` ${unit}` : "";
  target.replaceChildren(value, name);
}

/// A figure, which breaks between its parts rather than within one; clicking that of a stop moves the map there.
function pair({ name, parts, stop }, onPlace) {
  const group = document.createElement("div");
  const [term, definition] = [document.createElement("dt"), document.createElement("dd")];
  if (stop !== undefined) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = name;
    button.addEventListener("click", () => onPlace(stop));
    term.append(button);
  } else {
    term.textContent = name;
  }
  for (const [index, text] of parts.entries()) {
    const [comma, blank] = index + 1 < parts.length ? [words.comma[0], words.comma.slice(1)] : ["", ""];
    const part = Object.assign(document.createElement("span"), { className: "part", textContent: units.unbroken(text) + comma });
    definition.append(part, blank);
  }
  group.append(term, definition);
  return group;
}

function fenceLine({ id, phase }) {
  const line = document.createElement("li");
  line.className = phase;
  const [name, where] = [document.createElement("span"), document.createElement("strong")];
  name.textContent = name.title = id;
  where.textContent = words.phases[phase];
  line.append(name, where);
  return line;
}

/// "HDOP 0.6, VDOP 1.1, PDOP 1.2", without unknown values.
function dilutions(fix) {
  const known = ["hdop", "vdop", "pdop", "tdop", "gdop"].filter((name) => fix[name] !== undefined);
  return known.map((name) => `${name.toUpperCase()} ${fix[name].toFixed(1)}`).join(words.comma);
}

/// "1.5 s old, station 133", without unknown values.
function correction({ dgpsAge, dgpsStation }) {
  const age = dgpsAge === undefined ? [] : [say(words.secondsOld, dgpsAge.toFixed(1))];
  return age.concat(dgpsStation === undefined ? [] : [say(words.station, dgpsStation)]).join(words.comma);
}

/// "4 h 00 min so far. The position has stayed within 7.0 m; the receiver promised 2.5 m."
function stopWords(stop) {
  if (!stop) return "";
  const { claimed, scatter, duration } = stop;
  return say(words.stopSoFar, units.duration(duration), units.fineLength(scatter), units.fineLength(claimed));
}

/// The name of the source and what it does: "localhost:2947, connected".
function sourceWords({ source, replay, fix }, isAway) {
  const isPlaying = source.kind === "replay" && source.status === "connected";
  const state = isAway ? "noDaemon" : !isPlaying ? source.status
    : replay?.paused ? "paused" : fix === "current" ? "playing" : undefined;
  return [nameOf(source), words.sourceStates[state]].filter(Boolean).join(words.comma);
}

/// Reasons to doubt a fix, in words.
function doubts(fix) {
  const names = (fix.doubts ?? "").split(" ").filter((name) => name !== "");
  return names.map((name) => words.doubts[name] ?? name).join(words.comma);
}

/// A line that is shown only while it has a text.
function setLine(id, text) {
  setHidden(`${id}-line`, text === "");
  setText(id, text);
}

/// Returns `update(state, status, age, recording)`; the recording's figures replace live data. `onPlace(name)` is
/// called with the name of a stop that the user clicks.
export function createPanel(onPlace) {
  const updateSky = createSky();
  const announcer = element("announcer");
  let shownFences;
  let shownSummary;
  let announced;
  let announcement;

  function updateStatus({ kind, title, detail }) {
    document.body.dataset.status = kind;
    document.body.classList.toggle("old", !["live", "paused", "track"].includes(kind));
    setText("status-title", title);
    setText("status-detail", detail);
    document.title = `${title} · rxlocationd`;
    // Announced only on a change, and only if it lasts for a second.
    if (title === announced) return;
    announced = title;
    clearTimeout(announcement);
    announcement = setTimeout(() => (announcer.textContent = `${title}. ${detail}`), 1000);
  }

  function updateValues(state, age, isAway) {
    const at = state.location ?? {};
    element("copy").disabled = !state.location;
    const speed = units.speed(at.speed);
    const course = units.course(at.course);
    setMeasure("speed", speed.value, speed.unit);
    setText("speed-accuracy", units.speedAccuracy(at.speedAccuracy));
    setMeasure("course", course.wind, course.degrees);
    setText("course-accuracy", units.angleAccuracy(at.courseAccuracy));
    const [first, second] = units.place(at);
    setText("latitude", first);
    setText("longitude", second);
    setText("accuracy", units.lengthAccuracy(at.horizontalAccuracy) || "–");
    setText("altitude", units.length(at.altitude));
    setText("altitude-accuracy", units.lengthAccuracy(at.verticalAccuracy));
    setText("age", units.duration(age));
    const { local, utc } = units.time(at.time);
    setText("time", local);
    setText("time-utc", utc);
    setLine("trip", state.trip ? say(words.tripSoFar, units.distance(state.trip.distance), units.duration(state.trip.duration)) : "");
    setLine("stop", stopWords(state.stop));
    setLine("doubts", doubts(at));
    setLine("climb", units.climb(at.climb));
    setLine("geoid", at.geoidSeparation === undefined ? "" : units.length(at.geoidSeparation));
    setLine("dilution", dilutions(at));
    setLine("correction", correction(at));
    setCut("source", (at.source ?? "–") + (at.simulated && state.source.kind !== "replay" ? words.comma + words.fixStatus.simulated : ""));
    setText("connection-kind", state.source.kind === "replay" ? words.recording : "gpsd");
    setCut("connection", sourceWords(state, isAway));
  }

  function updateFences(fences) {
    const shown = JSON.stringify(fences.map(sketchOf));
    if (shown === shownFences) return;
    shownFences = shown;
    setHidden("fences", fences.length === 0);
    element("fence-list").replaceChildren(...fences.map(fenceLine));
  }

  function updateSummary(summary) {
    if (summary === shownSummary) return;
    shownSummary = summary;
    setHidden("summary", !summary);
    setHidden("live", Boolean(summary));
    element("summary").replaceChildren(...(summary ? figuresOf(summary) : []).map((figure) => pair(figure, onPlace)));
  }

  return function update(state, status, age, recording) {
    updateStatus(status);
    if (!state) return;
    updateSummary(recording.summary);
    if (recording.summary) return;
    updateValues(state, age, status.kind === "no-daemon");
    updateFences(phasesOf(state));
    updateSky(state.satellites ?? []);
  };
}
