// What scripts say, in the language of the page. English is what the code says; another language's file
// (static/js/words/, made by `make messages`) is read before any script that says something.
const catalogue = globalThis.catalogue ?? { words: {}, form: (n) => (n === 1 ? 0 : 1) };

// Names in braces are filled in: gettext("{n} boxes", { n: 3 }).
export function gettext(words, values = {}) {
  return filled(catalogue.words[words] ?? words, values);
}

export function ngettext(singular, plural, n, values = {}) {
  const forms = catalogue.words[singular];
  const words = forms ? forms[catalogue.form(n)] : n === 1 ? singular : plural;
  return filled(words, { n, ...values });
}

// A number with as many digits as it comes with, and the language's sign between them: "0.50", "0,50".
export function number(text) {
  return String(text).replace(".", catalogue.point ?? ".");
}

// The number of a text that number() or a page wrote; NaN of others.
export function numberOf(text) {
  return Number.parseFloat(text.replace("−", "-").replace(catalogue.point ?? ".", "."));
}

// Words in the order of the page's language.
export function inOrder(one, other) {
  return one.localeCompare(other, globalThis.document?.documentElement.lang || "en", { numeric: true });
}

function filled(words, values) {
  return words.replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
}
