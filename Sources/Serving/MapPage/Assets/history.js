// Earlier periods from the daemon's journal: a day, or the time between two moments.

import { createCalendar } from "./calendar.js";
import { dayText, fieldText, midnight } from "./days.js";
import { say, words } from "./words.js";

const element = (id) => document.getElementById(id);
const dayFormat = new Intl.DateTimeFormat(undefined, { dateStyle: "medium" });
const timeFormat = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });

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
  const [since, until, day, message, live, link, before, after] = [
    "past-since", "past-until", "past-day", "past-message", "past-live", "past-gpx", "past-before", "past-after",
  ].map(element);
  const calendar = createCalendar(element("past-calendar"), chooseDay);
  let isOffered = false;
  // The days with data, in order.
  let days = [];
  // Only the newest request counts.
  let request = 0;

  async function ask(start, end, title, isDay) {
    request += 1;
    const mine = request;
    message.textContent = words.readingJournal;
    const query = new URLSearchParams({ since: start.toISOString(), until: end.toISOString() });
    const more = new URLSearchParams({ offset: clockText(start, end) });
    let past;
    let failure = "";
    try {
      const answer = await fetch(`history.json?${query}&${more}`);
      if (answer.ok) past = await answer.json();
      else failure = await answer.text();
    } catch {
      failure = words.noAnswer;
    }
    if (mine !== request) return;
    const isEmpty = !past || past.trail.length === 0;
    message.textContent = failure || (isEmpty ? say(words.nothingThen, title) : "");
    link.hidden = isEmpty;
    if (isEmpty) return;
    link.href = `history.gpx?${query}`;
    link.download = `${isDay ? dayText(start) : `${fieldText(start)} ${fieldText(end)}`.replaceAll(":", "")}.gpx`;
    live.hidden = false;
    onPast({ ...past, title });
  }

  function chooseDay(value) {
    day.value = value;
    showDays();
    if (!value) return;
    const [start, end] = [midnight(value), midnight(value, 1)];
    [since.value, until.value] = [fieldText(start), fieldText(end)];
    ask(start, end, dayFormat.format(start), true);
  }

  /// The whole day that the fields name, or "".
  function wholeDay() {
    const first = since.value.slice(0, 10);
    const isDay = first && since.value === fieldText(midnight(first)) && until.value === fieldText(midnight(first, 1));
    return isDay ? first : "";
  }

  /// The next day with data in a direction; without a known one, the next day.
  function neighbour(step) {
    const from = day.value || dayText(new Date());
    if (days.length === 0) return dayText(midnight(from, step));
    return step > 0 ? days.find((one) => one > from) : days.findLast((one) => one < from);
  }

  function showDays() {
    before.disabled = !neighbour(-1);
    after.disabled = !neighbour(1);
    calendar.show(days, day.value);
  }

  /// Reads which days have data, and shows the newest of them unless the user has chosen already.
  async function readDays() {
    const mine = request;
    const quarters = await fetch("quarters.json").then((answer) => answer.json()).catch(() => []);
    days = [...new Set(quarters.map((quarter) => dayText(new Date(quarter * 900_000))))].sort();
    const isUntouched = mine === request && live.hidden && !message.textContent;
    if (isUntouched && days.length > 0) chooseDay(days.at(-1));
    else showDays();
  }

  element("past").addEventListener("toggle", () => {
    if (element("past").open) readDays();
  });
  day.addEventListener("change", () => chooseDay(day.value));
  before.addEventListener("click", () => chooseDay(neighbour(-1)));
  after.addEventListener("click", () => chooseDay(neighbour(1)));
  for (const button of document.querySelectorAll("#past [data-hours]")) {
    button.addEventListener("click", () => {
      const end = new Date();
      const start = new Date(end - button.dataset.hours * 3_600_000);
      [since.value, until.value, day.value] = [fieldText(start), fieldText(end), ""];
      showDays();
      ask(start, end, say(words.last, button.textContent));
    });
  }
  for (const field of [since, until]) {
    field.addEventListener("change", () => {
      day.value = wholeDay();
      showDays();
    });
  }
  element("past-form").addEventListener("submit", (event) => {
    event.preventDefault();
    if ((!since.value && !until.value && day.value) || wholeDay()) return chooseDay(day.value);
    if (!since.value || !until.value) {
      message.textContent = words.chooseDay;
      return;
    }
    const [start, end] = [new Date(since.value), new Date(until.value)];
    if (start >= end) {
      message.textContent = words.endTooEarly;
      return;
    }
    ask(start, end, timeFormat.formatRange(start, end));
  });
  live.addEventListener("click", () => {
    request += 1;
    live.hidden = link.hidden = true;
    message.textContent = "";
    onLive();
  });

  return {
    /// Shows the controls, with the day of a location, or with today.
    offer(location) {
      if (isOffered) return;
      isOffered = true;
      day.value = dayText(location?.time ? new Date(location.time) : new Date());
      element("past").hidden = false;
    },
  };
}
