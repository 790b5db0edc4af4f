import type { ProofFact, ProofStep } from '@tollgate/contracts/api/proof';

type Value = string | number | boolean | null | undefined;

/** Builds facts; unknown values are left out. */
const factsOf = (values: Record<string, Value>): ProofFact[] =>
  Object.entries(values).flatMap(([name, value]) =>
    value === undefined || value === null || value === '' ? [] : [{ name, value }],
  );

/** One step of a chain; `time` in milliseconds, 0 where it is unknown. */
export const step = (
  head: Pick<ProofStep, 'link' | 'state' | 'time'>,
  values: Record<string, Value>,
  lines?: ProofStep['lines'],
): ProofStep => ({ ...head, facts: factsOf(values), ...(lines && { lines }) });

export const isComplete = (steps: readonly ProofStep[]): boolean =>
  steps.every(({ state }) => state === 'done' || state === 'pending');
