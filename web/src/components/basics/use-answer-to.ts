import { useState } from 'react';

/**
 * The last reply for these filters, kept while the same filters are queried for another moment or page. Never the reply for other filters.
 */
export function useAnswerTo<Answer>(question: object, current: Answer | undefined): Answer | undefined {
  const asked = JSON.stringify(question);
  const [last, setLast] = useState({ asked, answer: current });
  if (current !== undefined && (last.answer !== current || last.asked !== asked)) setLast({ asked, answer: current });
  return current ?? (last.asked === asked ? last.answer : undefined);
}
