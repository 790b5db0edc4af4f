/** Nesting state within a JSON object that arrives in pieces. */
export interface Nesting {
  readonly depth: number;
  readonly isInText: boolean;
  readonly isEscaped: boolean;
  /** The closing bracket of the object has arrived. */
  readonly isWhole: boolean;
}

export const OUTSIDE: Nesting = { depth: 0, isInText: false, isEscaped: false, isWhole: false };

/**
 * The state after one more piece. For text that is not JSON `isWhole` is meaningless, so callers may only use it to decide when an event is
 * sent, or to which call of an unclear upstream a piece belongs.
 */
export function nestedIn(before: Nesting, piece: string): Nesting {
  let { depth, isInText, isEscaped, isWhole } = before;
  for (const sign of piece) {
    if (isEscaped) isEscaped = false;
    else if (isInText) {
      isEscaped = sign === '\\';
      isInText = sign !== '"';
    } else if (sign === '"') isInText = true;
    else if (sign === '{' || sign === '[') depth += 1;
    else if (sign === '}' || sign === ']') {
      depth -= 1;
      isWhole ||= depth === 0;
    }
  }
  return { depth, isInText, isEscaped, isWhole };
}
