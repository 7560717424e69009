// The status in words.

import { duration } from "./units.js";
import { say, words } from "./words.js";

/// The status of a model: `kind` for the style, `title` to be read from a distance, `detail` to be read nearby. `age`
/// is the age of the fix in seconds, or undefined.
export function statusOf(model, age) {
  const { state, connection } = model;
  // On a separate line, so that nothing moves while the age grows.
  const last = age === undefined ? "" : `\n${say(words.lastFix, duration(age))}`;
  // The program of a replay ends with the recording.
  const isOver = state?.source.kind === "replay" && state.source.status === "ended";
  if (connection === "lost" && !isOver) return { kind: "no-daemon", title: words.noDaemon, detail: words.noAnswer + last };
  if (!state) return { kind: "connecting", title: words.connecting, detail: words.waiting };
  const { source } = state;
  if (model.past) return { kind: "track", title: model.past.title, detail: "" };
  if (source.kind === "track") return { kind: "track", title: nameOf(source), detail: messageOf(source) };
  if (isOver) return { kind: "over", title: words.replayEnded, detail: messageOf(source) + last };
  const status = sourceStatus(model, age, last);
  if (!state.replay?.paused) return status;
  const isLive = status.kind === "live";
  return {
    kind: isLive ? "paused" : status.kind, title: words.replayPaused,
    detail: isLive ? status.detail : `${status.title}. ${status.detail}`,
  };
}

/// The status of a source that has not ended.
function sourceStatus(model, age, last) {
  const { source, fix, location } = model.state;
  if (source.status !== "connected") {
    const what = source.kind === "replay" ? words.noRecording : words.noGpsd;
    return { kind: "no-source", title: what, detail: messageOf(source) + last };
  }
  if (fix === "none") return { kind: "no-fix", title: words.noFix, detail: (messageOf(source) || sky(model)) + last };
  if (fix === "hidden") return { kind: "no-fix", title: words.hidden, detail: words.hiddenHere + last };
  if (fix === "stale") {
    return { kind: "stale", title: words.stale, detail: age === undefined ? words.noData : last.trim() };
  }
  const satellites = satelliteWords(location);
  const mode = modeOf(location);
  const title = source.kind === "replay" ? words.replay : words.live;
  return {
    kind: "live",
    title: location?.doubts ? say(words.doubtful, title) : title,
    detail: satellites ? mode + words.comma + satellites : mode,
  };
}

/// "12 of 18 satellites used", without unknown numbers.
function satelliteWords({ satellites: used, satellitesSeen: seen } = {}) {
  if (used === undefined) return "";
  // A receiver may list fewer satellites than it uses.
  return seen >= used ? say(words.satellitesUsedOf, seen, used) : say(words.satellitesUsed, used);
}

/// "3D fix" from gpsd's mode, or "3D fix, RTK fixed" for a special status.
function modeOf(location) {
  const { fix, fix2D, fix3D } = words.modes;
  const mode = { 2: fix2D, 3: fix3D }[location?.mode] ?? fix;
  const status = words.fixStatus[location?.status];
  return status ? mode + words.comma + status : mode;
}

function sky({ state }) {
  const seen = state.satellites?.length ?? 0;
  if (seen === 0) return words.noSatellitesSeen;
  const used = state.satellites.filter((satellite) => satellite.used).length;
  return say(words.satellitesSeen, seen, used);
}

/// What a source does, in a sentence; empty if its status says all of it. `message` says the same in English.
function messageOf(source) {
  if (!source.message) return "";
  if (source.status === "ended") return say(words.hasEnded, nameOf(source));
  if (source.status === "connected") return words.noReceiver;
  return source.reason ? say(words.noGpsdAt, nameOf(source), source.reason) : say(words.messages[source.kind], nameOf(source));
}

/// The name of a source; that of an input without a file is the daemon's.
export function nameOf({ name }) {
  return name === "standard input" ? words.standardInput : name;
}
