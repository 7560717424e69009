// The figures of a recording in words: of the whole, and of each trip and stop. `rxlocationd track` writes the same.

import * as units from "./units.js";
import { say, words } from "./words.js";

const known = (value, write) => (value === undefined ? undefined : write(value));
const positive = (value, write) => (value > 0 ? write(value) : undefined);

/// The distance of an average speed, if it differs from the distance beside it by more than rounding does.
function over({ distance, movingDistance }) {
  const isOther = Math.abs(movingDistance - distance) > distance / 100;
  return isOther ? say(words.over, units.distance(movingDistance)) : undefined;
}

/// "2 gaps of 25 s together (600 m left out)"
function gaps({ segments, gapTime, gapDistance }) {
  const count = segments - 1;
  if (count < 1) return undefined;
  const time = units.duration(gapTime);
  const number = say(words.gaps, count);
  const lasting = gapTime > 0 ? say(words.lasting, number, count > 1 ? say(words.together, time) : time) : number;
  return gapDistance > 0 ? `${lasting} (${say(words.leftOut, units.distance(gapDistance))})` : lasting;
}

/// The figures of the whole, each as its name and the parts of its value.
function wholeFigures(all) {
  const stops = all.parts.filter(({ type }) => type === "stop");
  const [longest] = stops.filter(({ scatter }) => scatter !== undefined).sort((one, other) => other.duration - one.duration);
  const byCount = [...(all.fixesByStatus ?? [])].sort((one, other) => other.count - one.count);
  const [tracks, waypoints] = [false, true].map((isPlace) =>
    (all.names ?? []).filter(({ latitude }) => (latitude !== undefined) === isPlace));
  return [
    [words.name, tracks.map(({ name }) => name)],
    [words.time, known(all.start, (start) => units.period(start, all.end).named)],
    [words.duration, known(all.duration, units.duration)],
    [words.movingTime, positive(all.movingTime, units.duration)],
    [words.stopped, positive(all.stoppedTime, (time) => [units.duration(time), say(words.stops, stops.length)])],
    [words.distance, positive(all.fixes, () => units.distance(all.distance)), positive(all.silenceTime, (time) =>
      say(words.silence, units.distance(all.silenceDistance), units.duration(time)))],
    [words.averageSpeed, known(all.averageSpeed, (speed) => [say(words.whileMoving, units.exactSpeed(speed)), over(all)])],
    [words.greatestSpeed, known(all.greatestSpeed, units.exactSpeed)],
    [words.ascent, known(all.ascent, units.height)],
    [words.descent, known(all.descent, units.height)],
    [words.altitude, known(all.lowestAltitude, (low) =>
      say(words.range, units.height(low), units.height(all.highestAltitude)))],
    [words.fixes, String(all.fixes), gaps(all), positive(all.jumps, (jumps) => say(words.leftOut, say(words.jumps, jumps)))],
    [words.quality, byCount.map(({ status, count }) =>
      `${words.fixStatus[status]} ${((100 * count) / all.fixes).toFixed(0)} %`)],
    [words.accuracy, known(longest, ({ claimedAccuracy, scatter, accuracyDuration }) =>
      say(words.claims, units.length(claimedAccuracy), units.length(scatter), units.duration(accuracyDuration)))],
    [words.skipped, (all.skipped ?? []).map(({ kind, count, file, line }) =>
      `${say(words.skippedKinds[kind], count)} (${file}:${line})`)],
    ...waypoints.map((one) => [words.waypoint, one.name, units.place(one)]),
  ];
}

/// The figures as { name, parts, stop }: the parts of the value, and the number of a stop. Unknown figures are left out.
export function figuresOf(summary) {
  if (!summary.parts) return [];
  const counts = { trip: 0, stop: 0 };
  let day;
  const rows = summary.parts.map((part) => {
    const number = String((counts[part.type] += 1));
    const stop = part.type === "stop" ? number : undefined;
    const times = units.period(part.start ?? part.arrival, part.end ?? part.departure, day);
    day = times.day;
    const speed = known(part.averageSpeed, (average) => [units.exactSpeed(average), over(part)].filter(Boolean).join(" "));
    const parts = [times.text, units.duration(part.duration), known(part.distance, units.distance), speed];
    return { name: say(stop ? words.stopNumber : words.tripNumber, number), parts, stop };
  });
  return [...wholeFigures(summary).map(([name, ...parts]) => ({ name, parts })), ...rows]
    .map((figure) => ({ ...figure, parts: figure.parts.flat().filter(Boolean) }))
    .filter(({ parts }) => parts.length > 0);
}
