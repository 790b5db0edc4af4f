type Texts = { [key: string]: string | Texts };

/**
 * English as somebody would see it who speaks a language with longer words and marks over its letters (`en-XA`): what is cut, overlaps or
 * never went through a dictionary shows at once. Variables and marks of markup stay as they are; each sentence stands between brackets, so
 * that one put together out of pieces shows, too. Whole in itself: the browser tests hand it to the built console as source.
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
