// The values beside the map, as text. Unchanged text is not written again.

import { phasesOf, sketchOf } from "./fences.js";
import { createSky } from "./sky.js";
import * as units from "./units.js";

const element = (id) => document.getElementById(id);

function setText(id, words) {
  const [target, text] = [element(id), units.unbroken(words)];
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

/// A text that breaks between its parts rather than within one: "30 Apr 2026,", "00:00:00", "to 00:30:08,", "30 min 08 s".
function parts(text) {
  return text.split(/(?<=,) | (?=to )/).flatMap((part, index) => [
    ...(index > 0 ? [" "] : []), Object.assign(document.createElement("span"), { className: "part", textContent: part })]);
}

/// A figure; clicking that of a stop moves the map there.
function pair(name, value, onPlace) {
  const group = document.createElement("div");
  const [term, definition] = [document.createElement("dt"), document.createElement("dd")];
  const stop = /^Stop (\d+)$/.exec(name);
  if (stop) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = name;
    button.addEventListener("click", () => onPlace(stop[1]));
    term.append(button);
  } else {
    term.textContent = name;
  }
  definition.append(...parts(units.unbroken(units.withTimes(value))));
  group.append(term, definition);
  return group;
}

function fenceLine({ id, phase }) {
  const line = document.createElement("li");
  line.className = phase;
  const [name, where] = [document.createElement("span"), document.createElement("strong")];
  name.textContent = name.title = id;
  where.textContent = phase;
  line.append(name, where);
  return line;
}

/// "HDOP 0.6, VDOP 1.1, PDOP 1.2", without unknown values.
function dilutions(fix) {
  const known = ["hdop", "vdop", "pdop", "tdop", "gdop"].filter((name) => fix[name] !== undefined);
  return known.map((name) => `${name.toUpperCase()} ${fix[name].toFixed(1)}`).join(", ");
}

/// "1.5 s old, station 133", without unknown values.
function correction({ dgpsAge, dgpsStation }) {
  const age = dgpsAge === undefined ? [] : [`${dgpsAge.toFixed(1)} s old`];
  return age.concat(dgpsStation === undefined ? [] : [`station ${dgpsStation}`]).join(", ");
}

/// "4 h 00 min so far. The position has stayed within 7.0 m; the receiver promised 2.5 m."
function stopWords(stop) {
  if (!stop) return "";
  const { claimed, scatter, duration } = stop;
  return `${units.duration(duration)} so far. The position has stayed within ${units.fineLength(scatter)}; `
    + `the receiver promised ${units.fineLength(claimed)}.`;
}

/// The name of the source and what it does: "localhost:2947, connected".
function sourceWords({ source: { name, kind, status }, replay, fix }, isAway) {
  if (isAway) return `${name}, no daemon`;
  if (kind !== "replay" || status !== "connected") return `${name}, ${status}`;
  return replay?.paused ? `${name}, paused` : fix === "current" ? `${name}, playing` : name;
}

const doubtWords = {
  speed: "the speed and the way disagree", standstill: "it stands still with a speed, or the reverse",
  date: "the date is impossible", receivers: "two receivers are far apart",
  signals: "all signals are alike, or have fallen", receiver: "the receiver reports jamming or an antenna fault",
};

/// Reasons to doubt a fix, in words.
function doubts(fix) {
  const names = (fix.doubts ?? "").split(" ").filter((name) => name !== "");
  return names.map((name) => doubtWords[name] ?? name).join(", ");
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
    setLine("trip", state.trip ? `${units.distance(state.trip.distance)} in ${units.duration(state.trip.duration)}` : "");
    setLine("stop", stopWords(state.stop));
    setLine("doubts", doubts(at));
    setLine("climb", units.climb(at.climb));
    setLine("geoid", at.geoidSeparation === undefined ? "" : units.length(at.geoidSeparation));
    setLine("dilution", dilutions(at));
    setLine("correction", correction(at));
    setCut("source", (at.source ?? "–") + (at.simulated && state.source.kind !== "replay" ? ", simulated" : ""));
    setText("connection-kind", state.source.kind === "replay" ? "Recording" : "gpsd");
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
    element("summary").replaceChildren(...(summary ?? []).map(([name, value]) => pair(name, value, onPlace)));
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
