type Texts = { [key: string]: string | Texts };

/**
 * English in the pseudo-language `en-XA`, with longer words and accented letters: texts that are cut, overlap or come from no dictionary
 * become visible. Variables and markup stay as they are. Each sentence is enclosed in brackets, so that sentences composed of pieces become
 * visible, too. The function must not refer to anything outside, because the browser tests pass its source to the built console.
 */
export function pseudo(texts: object): Texts {
  const PLAIN = 'AaBCcDdEeGgHhIiJjKkLlNnOoRrSsTtUuWwYyZz';
  const ACCENTED = 'ÅåƁÇçÐðÉéĜĝĤĥÎîĴĵĶķĻļÑñÖöŔŕŠšŢţÛûŴŵÝýŽž';
  const FILLER = ' one two three four five six seven eight nine ten eleven twelve thirteen fourteen';
  const SHARE = 0.4;
  const KEPT = /({{[^}]*}}|<[^>]*>|\$t\([^)]*\))/;
  const accent = (text: string): string =>
    text.replace(/[A-Za-z]/g, (letter) => ACCENTED[PLAIN.indexOf(letter)] ?? letter);
  const longer = (text: string): string => {
    const parts = text.split(KEPT).map((part, at) => (at % 2 ? part : accent(part)));
    const missing = Math.ceil(text.length * SHARE);
    const filler = FILLER.repeat(Math.ceil(missing / FILLER.length)).slice(0, missing);
    return `[${parts.join('')}${accent(filler)}]`;
  };
  const change = (value: unknown): string | Texts =>
    typeof value === 'string'
      ? longer(value)
      : Object.fromEntries(Object.entries(value as object).map(([key, inner]) => [key, change(inner)]));
  return change(texts) as Texts;
}
