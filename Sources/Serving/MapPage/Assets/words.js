// The page's words, which the daemon put into the page in the language that it chose for this browser.

/// The words by their keys.
export const words = JSON.parse(document.getElementById("words").textContent);

const plurals = new Intl.PluralRules(document.documentElement.lang);

/// A text with values at {0}, {1} and so on. If a text has forms for one and for others, the first value chooses.
export function say(text, ...values) {
  const form = text[plurals.select(values[0])] ?? text.other ?? text;
  return form.replace(/\{(\d)\}/g, (_, place) => values[place]);
}
