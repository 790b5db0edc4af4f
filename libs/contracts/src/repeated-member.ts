const BACKSLASH = 0x5c;

/** The index behind the closing quote of the string that begins at `from`; the length of the text if it is unterminated. */
function textEnd(json: string, from: number): number {
  let quote = json.indexOf('"', from + 1);
  while (quote !== -1) {
    let slashes = 0;
    while (json.charCodeAt(quote - 1 - slashes) === BACKSLASH) slashes += 1;
    if (slashes % 2 === 0) return quote + 1;
    quote = json.indexOf('"', quote + 1);
  }
  return json.length;
}

const SIGN = /["{}[\]]/g;
const COLON_NEXT = /[ \t\r\n]*:/y;

const isFollowedByColon = (json: string, at: number): boolean => {
  COLON_NEXT.lastIndex = at;
  return COLON_NEXT.test(json);
};

function decoded(written: string): string {
  if (!written.includes('\\')) return written.slice(1, -1);
  try {
    return JSON.parse(written) as string;
  } catch {
    return written;
  }
}

/**
 * The first name, cut to 64 characters, that is repeated in one object of a JSON text, whatever its escapes: a parser keeps the last of the
 * two, but its author may have meant the first. Does not check that the text is JSON. Takes linear time.
 */
export function repeatedMember(json: string): string | undefined {
  return firstName(json, (name, earlier) => earlier.has(name))?.slice(0, 64);
}

/** The first name for which `isMeant` returns true; it also gets the earlier names of the same object. */
export function firstName(
  json: string,
  isMeant: (name: string, earlier: ReadonlySet<string>) => boolean,
): string | undefined {
  /** The names of each open object; `undefined` for a list. */
  const open: (Set<string> | undefined)[] = [];
  SIGN.lastIndex = 0;
  for (let found = SIGN.exec(json); found; found = SIGN.exec(json)) {
    const [sign] = found;
    if (sign === '{') open.push(new Set());
    else if (sign === '[') open.push(undefined);
    else if (sign !== '"') open.pop();
    else {
      const end = textEnd(json, found.index);
      SIGN.lastIndex = end;
      const names = open.at(-1);
      if (!names || !isFollowedByColon(json, end)) continue;
      const name = decoded(json.slice(found.index, end));
      if (isMeant(name, names)) return name;
      names.add(name);
    }
  }
  return undefined;
}

/** The message about a repeated name. */
export const repeatedText = (name: string): string => `字段 ${name} 不能重复`;
