import { cutText, type RefusedRow } from '@tollgate/contracts';
import { timeOfId } from '@tollgate/chassis';

/** Most rows of one batch, which bounds the memory for invented reasons. */
const MOST_ROWS = 1000;
/** Most request ids kept per row. */
const MOST_IDS = 5;
/** Most models of one token that get rows of their own in a minute. */
const MOST_MODELS = 20;
/** Most tokens whose models are tracked in a minute; rows of further tokens name no model. */
const MOST_TOKENS = 5000;
const MINUTE_MS = 60_000;

/** One refused call. */
export interface RefusedCall {
  /** UUID v7, which contains the time of the request. */
  requestId: string;
  reason: string;
  status: number;
  message: string;
  tokenId: number;
  userId: number;
  model: string;
}

/**
 * Counts refusals by minute, reason, token and model. The number of rows is bounded; beyond the bound, rows no longer
 * name token and model.
 */
export class RefusedCounts {
  private readonly rows = new Map<string, RefusedRow>();
  /** Models by token id in the current minute; kept when rows are taken. */
  private readonly models = new Map<number, Set<string>>();
  private latest = 0;

  get size(): number {
    return this.rows.size;
  }

  add(call: RefusedCall): void {
    const minute = Math.floor(timeOfId(call.requestId) / MINUTE_MS) * 60;
    const counted = this.mayNameModel(minute, call) ? call : { ...call, model: '' };
    const row = this.rowOf(minute, counted) ?? this.rowOf(minute, { ...call, tokenId: 0, userId: 0, model: '' }, true);
    if (!row) return;
    row.count += 1;
    if (row.requestIds.length < MOST_IDS) row.requestIds.push(call.requestId);
  }

  take(): RefusedRow[] {
    const rows = [...this.rows.values()];
    this.rows.clear();
    return rows;
  }

  /** Whether the call's row may name its model; this bounds the rows per token. */
  private mayNameModel(minute: number, { tokenId, model }: RefusedCall): boolean {
    if (model === '') return true;
    if (minute > this.latest) {
      this.latest = minute;
      this.models.clear();
    }
    const known = this.models.get(tokenId) ?? new Set<string>();
    if (known.has(model)) return true;
    if (known.size >= MOST_MODELS || (known.size === 0 && this.models.size >= MOST_TOKENS)) return false;
    this.models.set(tokenId, known.add(model));
    return true;
  }

  private rowOf(minute: number, call: RefusedCall, isLast = false): RefusedRow | undefined {
    const { status, tokenId, userId } = call;
    const [reason, model] = [cutText(call.reason, 100), cutText(call.model, 256)];
    const key = JSON.stringify([minute, reason, status, tokenId, userId, model]);
    const known = this.rows.get(key);
    if (known) return known;
    // Extra room is reserved for rows that only state the reason.
    if (this.rows.size >= (isLast ? 2 * MOST_ROWS : MOST_ROWS)) return undefined;
    const message = cutText(call.message, 500);
    const row = { minute, reason, status, message, tokenId, userId, model, count: 0, requestIds: [] };
    this.rows.set(key, row);
    return row;
  }
}
