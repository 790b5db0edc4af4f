import { mostRatio, type PriceDocument, priceDocumentSchema, requestConsumed } from '@tollgate/contracts';
import { AppError, fromRecord, type StoredRecord, timeOfId } from '@tollgate/chassis';
import type { Consumption } from '../booking/booking-sums.js';
import { ratedQuota } from '../booking/rating-check.js';

/** What one user, model or channel was charged, and would be charged by the other rating. Units. */
export interface Rerated {
  requests: number;
  charged: number;
  rerated: number;
}

/** All prices that were ever in force: by id, and the ids by the revision of their publication. */
export interface PriceDocuments {
  byId: ReadonlyMap<string, PriceDocument>;
  byRevision: ReadonlyMap<string, string>;
}

/** A charge that differs when the request is rated again. */
export interface Difference {
  requestId: string;
  userId: number;
  tokenId: number;
  model: string;
  group: string;
  channelId: number;
  /** Units that were booked, and units of the new rating. */
  charged: number;
  rerated: number;
}

interface RerateOptions {
  from: number;
  to: number;
  documents: ReadonlyMap<string, PriceDocument>;
  /** Prices to use instead of those that each request names. */
  other?: PriceDocument;
  /** Booked units by request id; requests that were never booked are missing. */
  bookedOf(ids: readonly string[]): Promise<ReadonlyMap<string, number>>;
}

/**
 * Rates requests again from their events: by the price version that each names, which must give the booked charge
 * exactly, or by other prices. Every request counts once, however often its event is in the log. The ids of the period
 * are kept in memory: 100 MB for a million.
 */
export class Rerating {
  readonly users = new Map<string, Rerated>();
  readonly models = new Map<string, Rerated>();
  readonly channels = new Map<string, Rerated>();
  readonly total: Rerated = { requests: 0, charged: 0, rerated: 0 };
  readonly differences: Difference[] = [];
  /** Requests for which the prices have no row, or whose charge exceeds the safe integers. */
  readonly unpriced: string[] = [];
  /**
   * Records of the log that do not match the contract: quarantined ones, or those of a newer version. Their bookings
   * are not rated.
   */
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
    // Ids are compared in lower case, since UUIDs are case-insensitive.
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

/**
 * Reads a price document from a file. Its numbers must be valid as options. Throws `prices-invalid` with the faulty
 * member.
 */
export function readPrices(text: string): PriceDocument {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new AppError('invalid', 'prices-invalid', `The prices are no JSON: ${(error as Error).message}`, {
      cause: error,
    });
  }
  // Stored documents have no id inside, because their row has it.
  const result = priceDocumentSchema.safeParse(typeof value === 'object' ? { id: 'file', ...value } : value);
  if (result.success) return withinRange(result.data);
  const [issue] = result.error.issues;
  throw notPrices(`${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}`);
}

/** Throws for numbers outside the valid range; a negative price would pay the caller. */
function withinRange(document: PriceDocument): PriceDocument {
  const { id: _, quotaPerUnit, realtimeAudioRatio = 0, groupGroupRatio = {}, ...tables } = document;
  if (!(quotaPerUnit >= 1)) throw notPrices('quotaPerUnit is less than 1');
  if (!isRatio(realtimeAudioRatio)) throw notPrices(`realtimeAudioRatio is not from 0 to ${mostRatio}`);
  const groups = Object.entries(groupGroupRatio).map(([group, table]) => [`groupGroupRatio.${group}`, table] as const);
  for (const [name, table] of [...Object.entries(tables), ...groups])
    for (const [key, value] of Object.entries(table))
      if (!isRatio(value)) throw notPrices(`${name}.${key} is not from 0 to ${mostRatio}`);
  return document;
}

const isRatio = (value: number): boolean => value >= 0 && value <= mostRatio;

const notPrices = (what: string): AppError =>
  new AppError('invalid', 'prices-invalid', `The prices are no document of prices: ${what}`);
