import { leastIdAt } from '@tollgate/chassis';

/**
 * A month of the journal. The bounds are the smallest time-ordered UUIDs of its first millisecond and of the first one
 * after it.
 */
interface MonthPartition {
  name: string;
  from: string;
  to: string;
}

const monthStart = (year: number, month: number): Date => new Date(Date.UTC(year, month, 1));

/** The month `offset` months after the one of `now`, in UTC. */
export function monthPartition(now: Date, offset: number): MonthPartition {
  const start = monthStart(now.getUTCFullYear(), now.getUTCMonth() + offset);
  const end = monthStart(start.getUTCFullYear(), start.getUTCMonth() + 1);
  const label = `${start.getUTCFullYear()}_${String(start.getUTCMonth() + 1).padStart(2, '0')}`;
  return { name: `posting_${label}`, from: leastIdAt(start.getTime()), to: leastIdAt(end.getTime()) };
}
