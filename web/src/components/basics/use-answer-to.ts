import { useState } from 'react';

/**
 * The last reply for these filters, kept while the same filters are queried for another moment or page. Never the reply for other filters.
 */
export function useAnswerTo<Answer>(question: object, current: Answer | undefined): Answer | undefined {
  const key = JSON.stringify(question);
  const [last, setLast] = useState({ key, answer: current });
  if (current !== undefined && (last.answer !== current || last.key !== key)) setLast({ key, answer: current });
  return current ?? (last.key === key ? last.answer : undefined);
}
