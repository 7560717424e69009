// Values as text, in one system of units: that of a recording whose figures are given, or else that of the country of the
// browser's language. `rxlocationd track` chooses by the same countries, among them Britain, whose roads are in miles.

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

/// What a speed in m/s is multiplied by, and the name of the result.
export let speedUnit = systems[system].speed;

/// Takes the system of what is shown.
export function use(name) {
  system = name;
  speedUnit = systems[name].speed;
}

const unknown = "–";

/// "42 km/h" as { value, unit }; with a decimal where it is slow.
export function speed(metresPerSecond) {
  if (metresPerSecond === undefined) return { value: unknown, unit: "" };
  const value = metresPerSecond * speedUnit.factor;
  return { value: value.toFixed(value >= 0.05 && value < 9.95 ? 1 : 0), unit: speedUnit.name };
}

/// "13 m" or "43 ft".
export function length(metres) {
  if (metres === undefined) return unknown;
  const unit = systems[system].height;
  const value = metres / unit.metres;
  const places = unit.name === "m" && Math.abs(value) < 9.95 ? 1 : 0;
  const text = value.toFixed(places).replace(/^-(0(\.0)?)$/, "$1").replace("-", "\u2212");
  return `${text} ${unit.name}`;
}

/// "850 m", "3.42 km" or "1240 km", as `rxlocationd track` writes it.
export function distance(metres) {
  const unit = systems[system].distance;
  if (metres < unit.from) return `${(metres / systems[system].height.metres).toFixed(0)} ${systems[system].height.name}`;
  const value = metres / unit.metres;
  return `${value.toFixed(value < 99.995 ? 2 : value < 999.95 ? 1 : 0)} ${unit.name}`;
}

/// "± 13 m", nothing when it is not known.
export function lengthAccuracy(metres) {
  return metres === undefined ? "" : `± ${length(metres)}`;
}

/// "+0.5 m/s" or "−1.6 ft/s"; nothing when it is not known.
export function climb(metresPerSecond) {
  if (metresPerSecond === undefined) return "";
  const unit = systems[system].height;
  const value = (metresPerSecond / unit.metres).toFixed(1);
  const text = Number(value) > 0 ? `+${value}` : value.replace(/^-0\.0$/, "0.0").replace("-", "\u2212");
  return `${text} ${unit.name}/s`;
}

export function speedAccuracy(metresPerSecond) {
  if (metresPerSecond === undefined) return "";
  const { value, unit } = speed(metresPerSecond);
  return `± ${value} ${unit}`;
}

export function angleAccuracy(degrees) {
  return degrees === undefined ? "" : `± ${degrees.toFixed(0)}°`;
}

/// "37.786208° N"
export function latitude(degrees) {
  return coordinate(degrees, "N", "S");
}

/// "122.403745° W"
export function longitude(degrees) {
  return coordinate(degrees, "E", "W");
}

function coordinate(degrees, positive, negative) {
  if (degrees === undefined) return unknown;
  return `${Math.abs(degrees).toFixed(6)}° ${degrees < 0 ? negative : positive}`;
}

const winds = ["N", "NE", "E", "SE", "S", "SW", "W", "NW"];

/// "NE" and "47°", as { wind, degrees }.
export function course(degrees) {
  if (degrees === undefined) return { wind: unknown, degrees: "" };
  return { wind: winds[Math.round(degrees / 45) % 8], degrees: `${Math.round(degrees) % 360}°` };
}

const clock = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });
const worldClock = new Intl.DateTimeFormat(undefined, { timeStyle: "medium", timeZone: "UTC" });

/// What a point of a way says, as far as it is known: "6 May 2026, 23:56:23 · 47 km/h · 29 m". The time is in seconds since
/// 1970.
export function pointWords({ time, speed: metresPerSecond, altitude }) {
  const parts = [];
  if (Number.isFinite(time)) parts.push(clock.format(time * 1000));
  if (Number.isFinite(metresPerSecond)) {
    const { value, unit } = speed(metresPerSecond);
    parts.push(`${value} ${unit}`);
  }
  if (Number.isFinite(altitude)) parts.push(length(altitude));
  return parts.join(" · ");
}

/// The time of a record, such as "2024-02-24T07:36:03.000Z", in the browser's zone, and in UTC where that is another.
export function time(text) {
  if (text === undefined) return { local: unknown, utc: "" };
  const at = new Date(text);
  if (at.getTimezoneOffset() === 0) return { local: `${clock.format(at)} UTC`, utc: "" };
  return { local: clock.format(at), utc: `${worldClock.format(at)} UTC` };
}

/// "7 s", "2 min 5 s", "3 h 10 min", "2 d 4 h"
export function duration(seconds) {
  if (seconds === undefined) return unknown;
  const whole = Math.max(0, Math.floor(seconds));
  const steps = [["d", 86_400], ["h", 3_600], ["min", 60], ["s", 1]];
  const first = steps.findIndex(([, size]) => whole >= size);
  if (first < 0) return "0 s";
  let rest = whole;
  const parts = [];
  for (const [name, size] of steps.slice(first, first + 2)) {
    const count = Math.floor(rest / size);
    rest -= count * size;
    if (count > 0) parts.push(`${count} ${name}`);
  }
  return parts.join(" ");
}
