// Messages of scripts in the language of the page. The code has them in English; the file of another
// language (static/js/words/, made by `make messages`) is loaded before any script with messages.
const catalogue = globalThis.catalogue ?? { words: {}, form: (n) => (n === 1 ? 0 : 1) };

// Replaces names in braces: gettext("{n} boxes", { n: 3 }).
export function gettext(words, values = {}) {
  return filled(catalogue.words[words] ?? words, values);
}

export function ngettext(singular, plural, n, values = {}) {
  const forms = catalogue.words[singular];
  const words = forms ? forms[catalogue.form(n)] : n === 1 ? singular : plural;
  return filled(words, { n, ...values });
}

// A number with its digits unchanged and the language's decimal separator: "0.50", "0,50".
export function number(text) {
  return String(text).replace(".", catalogue.point ?? ".");
}

// The number in a text that number() or a page wrote; NaN for other texts.
export function numberOf(text) {
  return Number.parseFloat(text.replace("−", "-").replace(catalogue.point ?? ".", "."));
}

// Compares words in the order of the page's language.
export function inOrder(one, other) {
  return one.localeCompare(other, globalThis.document?.documentElement.lang || "en", { numeric: true });
}

function filled(words, values) {
  return words.replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
}
