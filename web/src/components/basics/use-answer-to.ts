import { useState } from 'react';

/** The last answer to this question, also while it is asked again at another moment or for another page; never that to another one. */
export function useAnswerTo<Answer>(question: object, current: Answer | undefined): Answer | undefined {
  const asked = JSON.stringify(question);
  const [last, setLast] = useState({ asked, answer: current });
  if (current !== undefined && (last.answer !== current || last.asked !== asked)) setLast({ asked, answer: current });
  return current ?? (last.asked === asked ? last.answer : undefined);
}
