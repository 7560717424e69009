// Earlier periods from the daemon's journal: a day, or the time between two moments.

import { system } from "./units.js";

const element = (id) => document.getElementById(id);
const dayFormat = new Intl.DateTimeFormat(undefined, { dateStyle: "long" });
const timeFormat = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });

/// The value of a field for a time, in the browser's zone: "2026-05-06T23:54".
function fieldText(time) {
  return new Date(time - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

function midnight(day, days = 0) {
  const [year, month, date] = day.split("-").map(Number);
  return new Date(year, month - 1, date + days);
}

/// The browser's clock in a period in the daemon's format: the offset from UTC in seconds, and for each change its time
/// and the new offset, such as "7200,2026-10-25T01:00:00.000Z,3600".
function clockText(start, end) {
  // In minutes since 1970, because the offset changes at a whole minute.
  const at = (minutes) => new Date(minutes * 60_000);
  const offset = (minutes) => -60 * at(minutes).getTimezoneOffset();
  const week = 7 * 24 * 60;
  const first = Math.floor(start / 60_000);
  // The journal does not contain the future.
  const last = Math.min(Math.ceil(end / 60_000), Math.ceil(Date.now() / 60_000) + week);
  const parts = [offset(first)];
  for (let time = first; time < last; time += week) {
    let [before, after] = [time, Math.min(time + week, last)];
    if (offset(before) === offset(after)) continue;
    while (after - before > 1) {
      const middle = (before + after) >> 1;
      if (offset(middle) === offset(time)) before = middle;
      else after = middle;
    }
    parts.push(at(after).toISOString(), offset(after));
  }
  return parts.join(",");
}

/// Creates the controls in `#past`. `onPast(past)` gets the period that was found, with a `title`; `onLive()` is called
/// when the user returns to live data. The result has `offer(location)`, which shows the controls.
export function createHistory(onPast, onLive) {
  const [since, until, day, message, live] = ["past-since", "past-until", "past-day", "past-message", "past-live"].map(element);
  let isOffered = false;
  // Only the newest request counts.
  let request = 0;

  async function ask(start, end, title) {
    request += 1;
    const mine = request;
    message.textContent = "Reading the journal.";
    const query = new URLSearchParams({
      since: start.toISOString(), until: end.toISOString(), offset: clockText(start, end),
      units: system,
    });
    let past;
    let failure = "";
    try {
      const answer = await fetch(`history.json?${query}`);
      if (answer.ok) past = await answer.json();
      else failure = await answer.text();
    } catch {
      failure = "rxlocationd does not answer.";
    }
    if (mine !== request) return;
    message.textContent = failure || (past.trail.length === 0 ? `The journal has no fix of that time.` : "");
    if (!past || past.trail.length === 0) return;
    live.hidden = false;
    onPast({ ...past, title });
  }

  function askForDay() {
    if (!day.value) return;
    const [start, end] = [midnight(day.value), midnight(day.value, 1)];
    [since.value, until.value] = [fieldText(start), fieldText(end)];
    ask(start, end, dayFormat.format(start));
  }

  /// Clears the day unless it is the chosen period.
  function showDay() {
    const first = since.value.slice(0, 10);
    const isDay = first && since.value === fieldText(midnight(first)) && until.value === fieldText(midnight(first, 1));
    day.value = isDay ? first : "";
  }

  day.addEventListener("change", askForDay);
  for (const field of [since, until]) field.addEventListener("change", showDay);
  element("past-form").addEventListener("submit", (event) => {
    event.preventDefault();
    if (!since.value && !until.value && day.value) return askForDay();
    if (!since.value || !until.value) {
      message.textContent = "Choose a day, or both ends of a period.";
      return;
    }
    const [start, end] = [new Date(since.value), new Date(until.value)];
    if (start >= end) {
      message.textContent = "The end must be later than the beginning.";
      return;
    }
    ask(start, end, timeFormat.formatRange(start, end));
  });
  live.addEventListener("click", () => {
    request += 1;
    live.hidden = true;
    message.textContent = "";
    onLive();
  });

  return {
    /// Shows the controls, with the day of a location, or with today.
    offer(location) {
      if (isOffered) return;
      isOffered = true;
      const now = fieldText(location?.time ? new Date(location.time) : new Date());
      day.value = now.slice(0, 10);
      element("past").hidden = false;
    },
  };
}
