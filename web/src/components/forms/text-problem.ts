import type { TextLimit } from '@tollgate/contracts/text-limits';
import { lengthFault, lengthOf } from '@tollgate/contracts/text-limits';

/** A key of the shell's dictionary or of the page's own, with the values that its text needs. */
export interface TextProblem<Own extends string = never> {
  key: 'form.tooShort' | 'form.tooManyBytes' | 'form.tooLong' | Own;
  params?: Record<string, number>;
}

/** Why the server would refuse the length of the text, counted in the server's units; `undefined` if it would not. */
export function lengthProblem(text: string, limit: TextLimit): TextProblem | undefined {
  const fault = lengthFault(text, limit);
  if (!fault) return undefined;
  const now = lengthOf(text, limit);
  if (fault === 'short') return { key: 'form.tooShort', params: { min: limit.least ?? 0, now } };
  return { key: limit.unit === 'bytes' ? 'form.tooManyBytes' : 'form.tooLong', params: { max: limit.most, now } };
}
