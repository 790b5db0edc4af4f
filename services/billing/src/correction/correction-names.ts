/** So often one request can be corrected. */
export const MOST_CORRECTIONS = 20;

/** The references of a request's corrections, first to last: its id, then the id with a number. By them its proof finds them. */
export const correctionNames = (requestId: string): string[] =>
  Array.from({ length: MOST_CORRECTIONS }, (_, index) => (index === 0 ? requestId : `${requestId}:${index + 1}`));
