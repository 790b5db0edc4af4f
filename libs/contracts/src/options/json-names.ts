/** A string, with the colon behind it where it is a name, or what opens and closes an object or a list. */
const TOKEN = /("(?:[^"\\]|\\.)*")(\s*:)?|[{}[\]]/g;

/**
 * The first name that a JSON text says twice in one object, or that means something else to JavaScript; undefined where there is none. Of a
 * price that is written twice the last one would count, and whoever reads the text sees the first. A text that is no JSON has no names.
 */
export function strangeName(json: string): string | undefined {
  if (!isJson(json)) return undefined;
  const open: (Set<string> | undefined)[] = [];
  for (const [token, text, colon] of json.matchAll(TOKEN)) {
    if (token === '{') open.push(new Set());
    else if (token === '[') open.push(undefined);
    else if (text === undefined) open.pop();
    else if (colon !== undefined) {
      const name = JSON.parse(text) as string;
      const names = open.at(-1);
      if (name === '__proto__' || names?.has(name)) return name;
      names?.add(name);
    }
  }
  return undefined;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
