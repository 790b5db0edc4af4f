/** Where a JSON object stands that comes in pieces. */
export interface Nesting {
  readonly depth: number;
  readonly isInText: boolean;
  readonly isEscaped: boolean;
  /** Its last bracket has come. */
  readonly isWhole: boolean;
}

export const OUTSIDE: Nesting = { depth: 0, isInText: false, isEscaped: false, isWhole: false };

/** After one piece more. What is no JSON is whole at some point or never: nobody relies on it but for when it is told. */
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
