import type { TextLimit } from '@tollgate/contracts/text-limits';
import { lengthFault, lengthOf } from '@tollgate/contracts/text-limits';

/** A key of the shell's dictionary or one of the page's own, and what the sentence needs. */
export interface TextProblem<Own extends string = never> {
  key: 'form.tooShort' | 'form.tooManyBytes' | 'form.tooLong' | Own;
  params?: Record<string, number>;
}

/** Why the server would refuse the text for its length, in the units it counts; undefined when it would not. */
export function lengthProblem(text: string, limit: TextLimit): TextProblem | undefined {
  const fault = lengthFault(text, limit);
  if (!fault) return undefined;
  const now = lengthOf(text, limit);
  if (fault === 'short') return { key: 'form.tooShort', params: { min: limit.least ?? 0, now } };
  return { key: limit.unit === 'bytes' ? 'form.tooManyBytes' : 'form.tooLong', params: { max: limit.most, now } };
}
