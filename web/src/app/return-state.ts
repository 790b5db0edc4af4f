/** Told to the page of signing in: where the person was, to lead them back. */
export interface ReturnState {
  from?: string;
}
