// The status in words.

import { duration } from "./units.js";

/// The status of a model: `kind` for the style, `title` to be read from a distance, `detail` to be read nearby. `age`
/// is the age of the fix in seconds, or undefined.
export function statusOf(model, age) {
  const { state, connection } = model;
  if (!state) {
    return connection === "lost"
      ? { kind: "no-daemon", title: "No daemon", detail: "rxlocationd does not answer." }
      : { kind: "connecting", title: "Connecting", detail: "Waiting for rxlocationd." };
  }
  // On a separate line, so that nothing moves while the age grows.
  const last = age === undefined ? "" : `\nLast fix ${duration(age)} ago.`;
  const { source } = state;
  // The program of a replay ends with the recording.
  const isOver = source.kind === "replay" && source.status === "ended";
  if (connection === "lost" && !isOver) {
    return { kind: "no-daemon", title: "No daemon", detail: "rxlocationd does not answer." + last };
  }
  if (model.past) return { kind: "track", title: model.past.title, detail: "" };
  if (source.kind === "track") return { kind: "track", title: source.name, detail: sentence(source.message) };
  if (isOver) {
    return { kind: "over", title: "The replay has ended", detail: sentence(source.message) + last };
  }
  const status = sourceStatus(model, age, last);
  if (!state.replay?.paused) return status;
  const isLive = status.kind === "live";
  return {
    kind: isLive ? "paused" : status.kind, title: "Replay paused",
    detail: isLive ? status.detail : `${status.title}. ${status.detail}`,
  };
}

/// The status of a source that has not ended.
function sourceStatus(model, age, last) {
  const { source, fix, location } = model.state;
  if (source.status !== "connected") {
    const what = source.kind === "replay" ? "No recording" : "No gpsd";
    return { kind: "no-source", title: what, detail: sentence(source.message) + last };
  }
  if (fix === "none") return { kind: "no-fix", title: "No fix", detail: (sentence(source.message) || sky(model)) + last };
  if (fix === "hidden") return { kind: "no-fix", title: "Hidden", detail: `The location is not shown here.${last}` };
  if (fix === "stale") {
    return { kind: "stale", title: "Stale", detail: age === undefined ? "No data has come for a while." : last.trim() };
  }
  const satellites = satelliteWords(location);
  const mode = modeOf(location);
  return {
    kind: "live",
    title: (source.kind === "replay" ? "Replay" : "Live") + (location?.doubts ? ", in doubt" : ""),
    detail: satellites ? `${mode}, ${satellites}` : mode,
  };
}

/// "12 of 18 satellites used", without unknown numbers.
function satelliteWords({ satellites: used, satellitesSeen: seen } = {}) {
  if (used === undefined) return "";
  // A receiver may list fewer satellites than it uses.
  const all = seen >= used ? seen : undefined;
  return `${used}${all === undefined ? "" : ` of ${all}`} satellite${(all ?? used) === 1 ? "" : "s"} used`;
}

const statusNames = {
  differential: "DGPS", rtkFixed: "RTK fixed", rtkFloat: "RTK float", deadReckoning: "dead reckoning",
  combinedDeadReckoning: "GNSS and dead reckoning", surveyed: "surveyed", simulated: "simulated", precise: "P(Y)",
};

/// "3D fix" from gpsd's mode, or "3D fix, RTK fixed" for a special status.
function modeOf(location) {
  const mode = { 2: "2D fix", 3: "3D fix" }[location?.mode] ?? "Fix";
  const status = statusNames[location?.status];
  return status ? `${mode}, ${status}` : mode;
}

function sky({ state }) {
  const seen = state.satellites?.length ?? 0;
  if (seen === 0) return "The receiver reports no satellites.";
  const used = state.satellites.filter((satellite) => satellite.used).length;
  return `The receiver sees ${seen === 1 ? "one satellite" : `${seen} satellites`} and uses ${used || "none"}.`;
}

function sentence(text) {
  if (!text) return "";
  return text[0].toUpperCase() + text.slice(1) + (/[.!?]$/.test(text) ? "" : ".");
}
