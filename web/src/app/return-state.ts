/** Router state passed to the login page: the address to return to after signing in. */
export interface ReturnState {
  from?: string;
}

/** The address to go to after signing in; `undefined` if it is not within this site, such as `//elsewhere.example`. */
export function placeOf(state: unknown): string | undefined {
  const { from } = (state ?? {}) as ReturnState;
  return from !== undefined && /^\/(?![/\\])/.test(from) ? from : undefined;
}
