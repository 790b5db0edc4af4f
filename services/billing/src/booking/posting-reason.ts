import type { RequestConsumed } from '@tollgate/contracts';
import { UNUSED } from '@tollgate/database';
import { usesNothing } from '@tollgate/pricing';

const isUnused = ({ quota, usage }: RequestConsumed): boolean => quota === 0 && usesNothing(usage);

/** Whether a call counts as a request of its user: it did not fail, and it used something. */
export const isRequest = (data: RequestConsumed): boolean => data.outcome !== 'failed' && !isUnused(data);

/**
 * The reason of the posting: how the call ended, with a mark if it used nothing. So the journal says of each posting
 * whether it was counted as a request.
 */
export const reasonOf = (data: RequestConsumed): string =>
  data.outcome !== 'failed' && isUnused(data) ? data.outcome + UNUSED : data.outcome;
