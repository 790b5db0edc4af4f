import { firstName } from '../repeated-member.js';

/**
 * The first name, cut to 64 characters, that a JSON text says twice in one object, or that means something else to JavaScript; undefined where
 * there is none. Of a price that is written twice the last one would count, and whoever reads the text sees the first. A text that is no JSON has no names.
 */
export function strangeName(json: string): string | undefined {
  if (!isJson(json)) return undefined;
  return firstName(json, (name, earlier) => name === '__proto__' || earlier.has(name))?.slice(0, 64);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
