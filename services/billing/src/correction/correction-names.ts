/** How often one request can be corrected. */
export const MOST_CORRECTIONS = 20;

/**
 * The possible references of a request's corrections, in order: its id, then the id with a number. The request's chain
 * of proof finds its corrections by them.
 */
export const correctionNames = (requestId: string): string[] =>
  Array.from({ length: MOST_CORRECTIONS }, (_, index) => (index === 0 ? requestId : `${requestId}:${index + 1}`));

/** The id of the corrected request. */
export const correctedRequest = (reference: string): string => reference.split(':')[0] ?? '';

/** Suffix of a posting's reason, so that the sealed row itself says which run made it and who approved that. */
export const runNote = (approvalId: number, approvedBy: number): string =>
  ` (correction run ${approvalId}, approved by user ${approvedBy})`;

const RUN_NOTE = / \(correction run (\d{1,9}), approved by user (\d{1,9})\)$/;

/** The correction run that the reason of a posting names. */
export function runOf(reason: string | null): { approvalId: number; approvedBy: number } | undefined {
  const [, run, user] = RUN_NOTE.exec(reason ?? '') ?? [];
  return run === undefined ? undefined : { approvalId: Number(run), approvedBy: Number(user) };
}
