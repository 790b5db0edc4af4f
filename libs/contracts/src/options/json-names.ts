import { firstName } from '../repeated-member.js';

/**
 * The first name, cut to 64 characters, that is repeated in an object of a JSON text or is special to JavaScript; `undefined` if there is
 * none. If a price is written twice, the last one would apply while a reader may see the first. Text that is not JSON has no names.
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
