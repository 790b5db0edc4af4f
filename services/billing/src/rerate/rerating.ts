import { mostRatio, type PriceDocument, priceDocumentSchema, requestConsumed } from '@tollgate/contracts';
import { AppError, fromRecord, type StoredRecord, timeOfId } from '@tollgate/chassis';
import type { Consumption } from '../booking/booking-sums.js';
import { ratedQuota } from '../booking/rating-check.js';

/** What one user, model or channel was charged and would have been. Units. */
export interface Rerated {
  requests: number;
  charged: number;
  rerated: number;
}

/** The prices that were ever in force: by id, and the ids by the number of their publication. */
export interface PriceDocuments {
  byId: ReadonlyMap<string, PriceDocument>;
  byRevision: ReadonlyMap<string, string>;
}

/** A charge that is another by the prices in question. */
export interface Difference {
  requestId: string;
  userId: number;
  tokenId: number;
  model: string;
  group: string;
  channelId: number;
  /** Units that were booked, and that the other prices give. */
  charged: number;
  rerated: number;
}

export interface RerateOptions {
  from: number;
  to: number;
  documents: ReadonlyMap<string, PriceDocument>;
  /** Instead of the prices that each request names. */
  other?: PriceDocument;
  /** Booked units by request id; requests that were never booked are left out. */
  bookedOf(ids: readonly string[]): Promise<ReadonlyMap<string, number>>;
}

/**
 * Rates requests again from their events: by the version that each names, which must give what was booked bit for bit, or by other prices.
 * Every request counts once, however often its event lies in the log. It keeps the ids of the period in memory: 100 MB for a million.
 */
export class Rerating {
  readonly users = new Map<string, Rerated>();
  readonly models = new Map<string, Rerated>();
  readonly channels = new Map<string, Rerated>();
  readonly total: Rerated = { requests: 0, charged: 0, rerated: 0 };
  readonly differences: Difference[] = [];
  /** Requests that the prices say nothing of, or more than can be counted. */
  readonly unpriced: string[] = [];
  /** Records of the log that are no events of the contract: put aside, or of a newer version. What was booked of them is not rated. */
  unreadable = 0;
  private readonly seen = new Set<string>();

  constructor(private readonly options: RerateOptions) {}

  async take(records: readonly StoredRecord[]): Promise<void> {
    const events = records.flatMap(({ value }) => this.wanted(value) ?? []);
    const booked = await this.options.bookedOf(events.map(({ id }) => id));
    for (const event of events) {
      const charged = booked.get(event.id.toLowerCase());
      if (charged !== undefined) this.add(event, charged);
    }
  }

  private wanted(value: string): Consumption | undefined {
    let event: Consumption;
    try {
      event = fromRecord(requestConsumed, value);
    } catch {
      this.unreadable += 1;
      return undefined;
    }
    const time = timeOfId(event.id);
    // Ids are compared as numbers are: capitals are no other request.
    const id = event.id.toLowerCase();
    if (time < this.options.from || time >= this.options.to || this.seen.has(id)) return undefined;
    this.seen.add(id);
    return event;
  }

  private add(event: Consumption, charged: number): void {
    const { data, id } = event;
    const again = ratedQuota(event, this.options.other ?? this.options.documents.get(data.priceVersion));
    if (again === undefined || !Number.isFinite(again)) {
      this.unpriced.push(id);
      return;
    }
    for (const [sums, key] of [
      [this.users, String(data.userId)],
      [this.models, data.model],
      [this.channels, String(data.channelId)],
    ] as const)
      addTo(sums, key, { requests: 1, charged, rerated: again });
    this.total.requests += 1;
    this.total.charged += charged;
    this.total.rerated += again;
    if (again === charged) return;
    const { userId, tokenId, model, group, channelId } = data;
    this.differences.push({ requestId: id, userId, tokenId, model, group, channelId, charged, rerated: again });
  }
}

function addTo(sums: Map<string, Rerated>, key: string, more: Rerated): void {
  const sum = sums.get(key) ?? { requests: 0, charged: 0, rerated: 0 };
  sums.set(key, {
    requests: sum.requests + more.requests,
    charged: sum.charged + more.charged,
    rerated: sum.rerated + more.rerated,
  });
}

/** A document of prices from a file, with numbers that could be saved as options. Throws `prices-invalid` with the member that is wrong. */
export function readPrices(text: string): PriceDocument {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new AppError('invalid', 'prices-invalid', `The prices are no JSON: ${(error as Error).message}`, {
      cause: error,
    });
  }
  // Stored documents are named by their row.
  const result = priceDocumentSchema.safeParse(typeof value === 'object' ? { id: 'file', ...value } : value);
  if (result.success) return withinRange(result.data);
  const [issue] = result.error.issues;
  throw notPrices(`${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}`);
}

/** A price below zero would pay whoever called. */
function withinRange(document: PriceDocument): PriceDocument {
  const { id: _, quotaPerUnit, groupGroupRatio = {}, ...tables } = document;
  if (!(quotaPerUnit >= 1)) throw notPrices('quotaPerUnit is less than 1');
  const groups = Object.entries(groupGroupRatio).map(([group, table]) => [`groupGroupRatio.${group}`, table] as const);
  for (const [name, table] of [...Object.entries(tables), ...groups])
    for (const [key, value] of Object.entries(table))
      if (!(value >= 0 && value <= mostRatio)) throw notPrices(`${name}.${key} is not from 0 to ${mostRatio}`);
  return document;
}

const notPrices = (what: string): AppError =>
  new AppError('invalid', 'prices-invalid', `The prices are no document of prices: ${what}`);
