import { useState } from 'react';
import type { TableQuery } from './table-types.js';

/** Page and size of the reply that is shown: after a change of either or of the filter it is the earlier one at first. */
export function useShownPage(
  query: Pick<TableQuery<unknown>, 'currentData'>,
  { page, size }: Record<'page' | 'size', number>,
) {
  const [answered, setAnswered] = useState({ page, size });
  const isAnswer = !('currentData' in query) || query.currentData !== undefined;
  if (isAnswer && (answered.page !== page || answered.size !== size)) setAnswered({ page, size });
  return answered;
}
