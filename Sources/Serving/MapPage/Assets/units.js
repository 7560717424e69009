// Values as text, in one system of units: that of the daemon if it names one, or else that of the country of the
// browser's language. `rxlocationd track` uses the same countries, including Britain, whose roads are in miles.

import { say, words } from "./words.js";

const systems = {
  metric: {
    speed: { factor: 3.6, name: "km/h" }, height: { metres: 1, name: "m" }, distance: { metres: 1000, name: "km", from: 999.5 },
  },
  imperial: {
    speed: { factor: 3600 / 1609.344, name: "mph" }, height: { metres: 0.3048, name: "ft" },
    distance: { metres: 1609.344, name: "mi", from: 160.9344 },
  },
  nautical: {
    speed: { factor: 3600 / 1852, name: "kn" }, height: { metres: 1, name: "m" },
    distance: { metres: 1852, name: "nmi", from: 185.2 },
  },
};

const { region } = new Intl.Locale(navigator.language || "en").maximize();

/// The name of the system: "metric", "imperial" or "nautical".
export let system = ["GB", "LR", "MM", "US"].includes(region) ? "imperial" : "metric";

/// The factor for a speed in m/s, and the name of the resulting unit.
export let speedUnit = systems[system].speed;

/// The number of metres in the unit of heights.
export let heightUnit = systems[system].height;

/// Sets the system.
export function use(name) {
  system = name;
  speedUnit = systems[name].speed;
  heightUnit = systems[name].height;
}

const unknown = "–";

/// A number below 1 with two significant digits: "0.014" and not "0.0".
function small(value) {
  return value > 0 && value < 0.995 ? value.toPrecision(2) : undefined;
}

/// "42 km/h" as { value, unit }; a slow speed has a decimal.
export function speed(metresPerSecond) {
  if (metresPerSecond === undefined) return { value: unknown, unit: "" };
  const value = metresPerSecond * speedUnit.factor;
  return { value: value.toFixed(value >= 0.05 && value < 9.95 ? 1 : 0), unit: speedUnit.name };
}

/// "42.1 km/h", as `rxlocationd track` writes it.
export const exactSpeed = (metresPerSecond) => `${(metresPerSecond * speedUnit.factor).toFixed(1)} ${speedUnit.name}`;

/// "13 m" or "43 ft", as `rxlocationd track` writes it.
export const height = (metres) => `${(metres / heightUnit.metres).toFixed(0).replace(/^-0$/, "0")} ${heightUnit.name}`;

/// "13 m" or "43 ft", with a decimal below 10 m.
export function length(metres) {
  if (metres === undefined) return unknown;
  const unit = systems[system].height;
  const value = metres / unit.metres;
  const places = unit.name === "m" && Math.abs(value) < 9.95 ? 1 : 0;
  const text = value.toFixed(places).replace(/^-(0(\.0)?)$/, "$1").replace("-", "\u2212");
  return `${text} ${unit.name}`;
}

/// "850 m", "3.42 km" or "1240 km", in the format of `rxlocationd track`.
export function distance(metres) {
  const unit = systems[system].distance;
  if (metres < unit.from) return `${(metres / systems[system].height.metres).toFixed(0)} ${systems[system].height.name}`;
  const value = metres / unit.metres;
  return `${value.toFixed(value < 99.995 ? 2 : value < 999.95 ? 1 : 0)} ${unit.name}`;
}

/// "13 m", or "0.014 m".
export function fineLength(metres) {
  const unit = systems[system].height;
  const value = small(metres / unit.metres);
  return value ? `${value} ${unit.name}` : length(metres);
}

/// "± 13 m", or "± 0.014 m"; empty if it is unknown.
export function lengthAccuracy(metres) {
  return metres === undefined ? "" : `± ${fineLength(metres)}`;
}

/// "+0.5 m/s" or "−1.6 ft/s"; empty if it is unknown.
export function climb(metresPerSecond) {
  if (metresPerSecond === undefined) return "";
  const unit = systems[system].height;
  const value = (metresPerSecond / unit.metres).toFixed(1);
  const text = Number(value) > 0 ? `+${value}` : value.replace(/^-0\.0$/, "0.0").replace("-", "\u2212");
  return `${text} ${unit.name}/s`;
}

/// "± 1.4 km/h", or "± 0.036 km/h"; empty if it is unknown.
export function speedAccuracy(metresPerSecond) {
  if (metresPerSecond === undefined) return "";
  const { value, unit } = speed(metresPerSecond);
  return `± ${small(metresPerSecond * speedUnit.factor) ?? value} ${unit}`;
}

export function angleAccuracy(degrees) {
  return degrees === undefined ? "" : `± ${degrees.toFixed(0)}°`;
}

// How coordinates are written: in "degrees", in "minutes" or as the "grid" square. Some browsers keep nothing.
const kept = (() => {
  try {
    return window.localStorage;
  } catch {
    return undefined;
  }
})();
let coordinates = kept?.getItem("coordinates") ?? "degrees";

/// Offers the choice in an element, which is kept; `onChange()` is called when it changes.
export function offerCoordinates(select, onChange) {
  select.value = coordinates;
  select.addEventListener("change", () => {
    coordinates = select.value;
    kept?.setItem("coordinates", coordinates);
    onChange();
  });
}

/// A place in two lines: "37.786208° N" and "122.403745° W", or "37° 47.172′ N" and so on, or "CM87ss48" and "".
export function place({ latitude, longitude }) {
  if (latitude === undefined) return [unknown, unknown];
  if (coordinates === "grid") return [gridSquare(latitude, longitude), ""];
  return [coordinate(latitude, "N", "S"), coordinate(longitude, "E", "W")];
}

function coordinate(degrees, positive, negative) {
  const letter = degrees < 0 ? negative : positive;
  if (coordinates !== "minutes") return `${Math.abs(degrees).toFixed(6)}° ${letter}`;
  // Rounded first, so that no minute is 60.
  const thousandths = Math.round(Math.abs(degrees) * 60_000);
  return `${Math.floor(thousandths / 60_000)}° ${((thousandths % 60_000) / 1000).toFixed(3).padStart(6, "0")}′ ${letter}`;
}

/// The Maidenhead locator of a place, of eight characters.
function gridSquare(latitude, longitude) {
  // In steps of 1/240 degree of latitude and 1/120 of longitude.
  const east = Math.min(43_199, Math.max(0, Math.floor((longitude + 180) * 120)));
  const north = Math.min(43_199, Math.max(0, Math.floor((latitude + 90) * 240)));
  return [[2400, 18, "A"], [240, 10, "0"], [10, 24, "a"], [1, 10, "0"]].map(([step, count, first]) =>
    [east, north].map((steps) => String.fromCharCode(first.charCodeAt(0) + (Math.floor(steps / step) % count))).join("")).join("");
}

/// "NE" and "47°", as { wind, degrees }.
export function course(degrees) {
  if (degrees === undefined) return { wind: unknown, degrees: "" };
  return { wind: words.winds[Math.round(degrees / 45) % 8], degrees: `${Math.round(degrees) % 360}°` };
}

const clock = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });
const worldClock = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium", timeZone: "UTC" });
const worldDate = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeZone: "UTC" });
const worldTime = new Intl.DateTimeFormat(undefined, { timeStyle: "medium", timeZone: "UTC" });

// The clock of a recording's figures, as [{ since, offset, name }, …]; without one the browser's clock is used.
let recordingClock;

/// Sets the clock, so that all times of a page use the same one.
export function useClock(changes) {
  recordingClock = changes;
}

/// The current clock at a time: its offset from UTC in seconds, and the name of a recording's clock.
function clockAt(seconds) {
  if (!recordingClock) return { offset: -60 * new Date(seconds * 1000).getTimezoneOffset(), name: "" };
  return recordingClock.findLast(({ since }) => since <= seconds) ?? recordingClock[0];
}

/// The time of a point, in seconds since 1970, by the current clock; a recording's clock is named.
function clockWords(seconds) {
  const { offset, name } = clockAt(seconds);
  return `${worldClock.format((seconds + offset) * 1000)} ${name}`.trim();
}

/// The offset of the current clock from UTC at a time, in seconds.
export const offsetAt = (seconds) => clockAt(seconds).offset;

/// The period between the times of two records by the current clock: as `text`, "30 Apr 2026, 00:00:00 to 00:30:08", and
/// `named` with the name of the clock. A day is not repeated, and `day` is the one before the period. The result's `day` is
/// the last one.
export function period(start, end, day) {
  const ends = [start, end].map((text) => {
    const seconds = Date.parse(text) / 1000;
    const { offset, name } = clockAt(seconds);
    const local = (seconds + offset) * 1000;
    const today = worldDate.format(local);
    const written = (today === day ? worldTime : worldClock).format(local);
    day = today;
    // It breaks only between the date and the time.
    return { name, text: written.replaceAll(" ", "\u00a0").replace(/,\u00a0(?=[^,]*$)/, ", ") };
  });
  const [from, to] = ends.map(({ name, text }) => `${text} ${name}`);
  return {
    day, text: say(words.range, ends[0].text, ends[1].text),
    named: say(words.range, ends[0].name === ends[1].name ? ends[0].text : from, to),
  };
}

/// A text in which numbers stay with their units.
export function unbroken(text) {
  return text.replace(/(\d) (?=[\p{L}%])/gu, "$1\u00a0");
}

const hours = new Intl.DateTimeFormat(undefined, { timeStyle: "short", timeZone: "UTC" });
const dates = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short", timeZone: "UTC" });

/// A time on an axis, by the current clock: "23:56", or the date at midnight.
export function axisTime(seconds) {
  const local = seconds + offsetAt(seconds);
  return (local % 86_400 === 0 ? dates : hours).format(local * 1000);
}

/// The known values of a point of the trail: "6 May 2026, 23:56:23 · 47 km/h · 29 m". The time is in seconds since
/// 1970.
export function pointWords({ time, speed: metresPerSecond, altitude }) {
  const parts = [];
  if (Number.isFinite(time)) parts.push(clockWords(time));
  if (Number.isFinite(metresPerSecond)) {
    const { value, unit } = speed(metresPerSecond);
    parts.push(`${value} ${unit}`);
  }
  if (Number.isFinite(altitude)) parts.push(length(altitude));
  return unbroken(parts.join(" · "));
}

/// The time of a record, such as "2024-02-24T07:36:03.000Z", in the browser's zone, and in UTC if that differs, with
/// the day if that differs as well.
export function time(text) {
  if (text === undefined) return { local: unknown, utc: "" };
  const at = new Date(text);
  if (at.getTimezoneOffset() === 0) return { local: `${clock.format(at)} UTC`, utc: "" };
  const world = at.getDate() === at.getUTCDate() ? worldTime : worldClock;
  return { local: clock.format(at), utc: `${world.format(at)} UTC` };
}

/// "45 s", "11 min 59 s", "2 h 05 min" or "3 d 04 h", rounded as `rxlocationd track` does.
export function duration(seconds) {
  if (seconds === undefined) return unknown;
  const two = (number) => String(number).padStart(2, "0");
  const total = Math.round(Math.max(0, seconds));
  if (total < 60) return `${total} s`;
  if (total < 3600) return `${Math.floor(total / 60)} min ${two(total % 60)} s`;
  const minutes = Math.round(total / 60);
  if (minutes < 48 * 60) return `${Math.floor(minutes / 60)} h ${two(minutes % 60)} min`;
  const hours = Math.round(total / 3600);
  return `${Math.floor(hours / 24)} d ${two(hours % 24)} h`;
}
