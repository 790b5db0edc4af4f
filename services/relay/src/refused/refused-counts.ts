import { cutText, type RefusedRow } from '@tollgate/contracts';
import { timeOfId } from '@tollgate/chassis';

/** Rows of one batch: whoever makes reasons up gets no more memory than this. */
const MOST_ROWS = 1000;
/** Ids that are kept of one row; of the others the minute is known. */
const MOST_IDS = 5;
const MINUTE_MS = 60_000;

/** A call that was refused. */
export interface RefusedCall {
  /** UUID v7: it tells when the request came. */
  requestId: string;
  reason: string;
  status: number;
  message: string;
  tokenId: number;
  userId: number;
  model: string;
}

/** Counts refusals by minute, reason, token and model, within a bound; past it tokens and models are no longer told apart. */
export class RefusedCounts {
  private readonly rows = new Map<string, RefusedRow>();

  get size(): number {
    return this.rows.size;
  }

  add(call: RefusedCall): void {
    const minute = Math.floor(timeOfId(call.requestId) / MINUTE_MS) * 60;
    const row = this.rowOf(minute, call) ?? this.rowOf(minute, { ...call, tokenId: 0, userId: 0, model: '' }, true);
    if (!row) return;
    row.count += 1;
    if (row.requestIds.length < MOST_IDS) row.requestIds.push(call.requestId);
  }

  take(): RefusedRow[] {
    const rows = [...this.rows.values()];
    this.rows.clear();
    return rows;
  }

  private rowOf(minute: number, call: RefusedCall, isLast = false): RefusedRow | undefined {
    const { status, tokenId, userId } = call;
    const [reason, model] = [cutText(call.reason, 100), cutText(call.model, 256)];
    const key = JSON.stringify([minute, reason, status, tokenId, userId, model]);
    const known = this.rows.get(key);
    if (known) return known;
    // Room is left for what is told apart by its reason only.
    if (this.rows.size >= (isLast ? 2 * MOST_ROWS : MOST_ROWS)) return undefined;
    const message = cutText(call.message, 500);
    const row = { minute, reason, status, message, tokenId, userId, model, count: 0, requestIds: [] };
    this.rows.set(key, row);
    return row;
  }
}
