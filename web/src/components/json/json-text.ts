const TOKEN =
  /\s*([{}[\],:]|"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)/y;

const BLANK = /\s*/y;

type Expected = 'value' | 'value-or-end' | 'key' | 'key-or-end' | 'colon' | 'comma-or-end' | 'nothing';
type Kind = 'open' | 'close' | 'comma' | 'colon' | 'text' | 'plain';

const kinds: Record<string, Kind> = {
  '{': 'open',
  '[': 'open',
  '}': 'close',
  ']': 'close',
  ',': 'comma',
  ':': 'colon',
};
const kindOf = (token: string): Kind => kinds[token] ?? (token.startsWith('"') ? 'text' : 'plain');

const allowed: Record<Expected, readonly Kind[]> = {
  value: ['open', 'text', 'plain'],
  'value-or-end': ['open', 'text', 'plain', 'close'],
  key: ['text'],
  'key-or-end': ['text', 'close'],
  colon: ['colon'],
  'comma-or-end': ['comma', 'close'],
  nothing: [],
};

const afterKind: Partial<Record<Kind, (token: string, open: string[]) => Expected>> = {
  open: (token, open) => {
    open.push(token);
    return token === '{' ? 'key-or-end' : 'value-or-end';
  },
  comma: (_, open) => (open.at(-1) === '{' ? 'key' : 'value'),
  colon: () => 'value',
};

/** What may follow a token inside the open objects and lists; `undefined` if the token is not allowed at this point. */
function follow(expected: Expected, token: string, open: string[]): Expected | undefined {
  const kind = kindOf(token);
  if (!allowed[expected].includes(kind)) return undefined;
  const after = afterKind[kind]?.(token, open);
  if (after) return after;
  if (kind === 'text' && expected.startsWith('key')) return 'colon';
  if (kind === 'close' && open.pop() !== (token === '}' ? '{' : '[')) return undefined;
  return open.length === 0 ? 'nothing' : 'comma-or-end';
}

/** Offset of the first character that is not valid JSON. The errors of `JSON.parse` state it in some engines only, in different formats. */
function faultAt(text: string): number {
  const open: string[] = [];
  let expected: Expected = 'value';
  let at = 0;
  for (;;) {
    TOKEN.lastIndex = at;
    const match = TOKEN.exec(text);
    BLANK.lastIndex = at;
    const start = at + (BLANK.exec(text)?.[0].length ?? 0);
    const token: string | undefined = match?.[1];
    const following: Expected | undefined = token === undefined ? undefined : follow(expected, token, open);
    if (following === undefined) return start;
    expected = following;
    at = TOKEN.lastIndex;
  }
}

export interface JsonFault {
  line: number;
  column: number;
  near: string;
}

function placeOf(text: string, at: number): JsonFault {
  const before = text.slice(0, at).split('\n');
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1, near: text.slice(at, at + 12) };
}

/** `any`: lists and simple values, too. */
export type JsonShape = 'object' | 'any';

const isOneObject = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value);

/** `undefined` if the text is blank or JSON of the shape; otherwise the place where it is not. */
export function jsonFault(text: string, shape: JsonShape = 'object'): JsonFault | undefined {
  if (text.trim() === '') return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return shape === 'any' || isOneObject(value) ? undefined : placeOf(text, 0);
  } catch {
    return placeOf(text, faultAt(text));
  }
}

/** Offset of a place in the text. */
export const offsetOf = (text: string, { line, column }: Pick<JsonFault, 'line' | 'column'>): number =>
  text
    .split('\n')
    .slice(0, line - 1)
    .reduce((sum, { length }) => sum + length + 1, 0) +
  column -
  1;

export const layOut = (text: string): string => JSON.stringify(JSON.parse(text), undefined, 2);
