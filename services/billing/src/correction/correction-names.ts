/** So often one request can be corrected. */
export const MOST_CORRECTIONS = 20;

/** The references of a request's corrections, first to last: its id, then the id with a number. By them its proof finds them. */
export const correctionNames = (requestId: string): string[] =>
  Array.from({ length: MOST_CORRECTIONS }, (_, index) => (index === 0 ? requestId : `${requestId}:${index + 1}`));

/** The request that a correction is of. */
export const correctedRequest = (reference: string): string => reference.split(':')[0] ?? '';

/** What the reason of a posting ends with, so that the sealed row itself says which run made it and who agreed. */
export const runNote = (approvalId: number, approvedBy: number): string =>
  ` (correction run ${approvalId}, approved by user ${approvedBy})`;

const RUN_NOTE = / \(correction run (\d{1,9}), approved by user (\d{1,9})\)$/;

/** The run that a posting of code `correction` names. */
export function runOf(reason: string | null): { approvalId: number; approvedBy: number } | undefined {
  const [, run, user] = RUN_NOTE.exec(reason ?? '') ?? [];
  return run === undefined ? undefined : { approvalId: Number(run), approvedBy: Number(user) };
}
