/** Told to the page of signing in: where the person was, to lead them back. */
export interface ReturnState {
  from?: string;
}

/** Where somebody goes once they are signed in; undefined where that is no place of this site, as `//elsewhere.example`. */
export function placeOf(state: unknown): string | undefined {
  const { from } = (state ?? {}) as ReturnState;
  return from !== undefined && /^\/(?![/\\])/.test(from) ? from : undefined;
}
