// Days and periods by the browser's clock.

/// The value of a field for a time, in the browser's zone: "2026-05-06T23:54".
export function fieldText(time) {
  return new Date(time - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/// The day of a time: "2026-05-06".
export const dayText = (time) => fieldText(time).slice(0, 10);

/// The beginning of a day, or of one that is so many days later.
export function midnight(day, days = 0) {
  const [year, month, date] = day.split("-").map(Number);
  return new Date(year, month - 1, date + days);
}
