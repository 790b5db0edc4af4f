import { cutText, type RefusedRow } from '@tollgate/contracts';
import { timeOfId } from '@tollgate/chassis';

/** Rows of one batch: whoever makes reasons up gets no more memory than this. */
const MOST_ROWS = 1000;
/** Ids that are kept of one row; of the others the minute is known. */
const MOST_IDS = 5;
/** Models of one token that are told apart in a minute. */
const MOST_MODELS = 20;
/** Tokens of which that is remembered; of any more no model is told. */
const MOST_TOKENS = 5000;
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
  /** Of the running minute, whatever was taken meanwhile. */
  private readonly models = new Map<number, Set<string>>();
  private latest = 0;

  get size(): number {
    return this.rows.size;
  }

  add(call: RefusedCall): void {
    const minute = Math.floor(timeOfId(call.requestId) / MINUTE_MS) * 60;
    const told = this.tellsModel(minute, call) ? call : { ...call, model: '' };
    const row = this.rowOf(minute, told) ?? this.rowOf(minute, { ...call, tokenId: 0, userId: 0, model: '' }, true);
    if (!row) return;
    row.count += 1;
    if (row.requestIds.length < MOST_IDS) row.requestIds.push(call.requestId);
  }

  take(): RefusedRow[] {
    const rows = [...this.rows.values()];
    this.rows.clear();
    return rows;
  }

  /** Whether a row of its own is due to the model: rows of one token are few, whatever its holder asks for. */
  private tellsModel(minute: number, { tokenId, model }: RefusedCall): boolean {
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
    // Room is left for what is told apart by its reason only.
    if (this.rows.size >= (isLast ? 2 * MOST_ROWS : MOST_ROWS)) return undefined;
    const message = cutText(call.message, 500);
    const row = { minute, reason, status, message, tokenId, userId, model, count: 0, requestIds: [] };
    this.rows.set(key, row);
    return row;
  }
}
