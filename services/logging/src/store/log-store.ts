import type { EntityManager } from '@mikro-orm/postgresql';
import type { digestRequests, listDoubtfulRequests, sumChannelUsage } from '@tollgate/contracts';
import type { z } from 'zod';
import type { LogRow } from '../log/log-row.js';

/** A row to be added; the store assigns its id. */
export type NewLog = Omit<LogRow, 'id'>;

/** Values that rows must equal in all given fields. Texts are compared literally and as a whole. */
export interface LogConditions extends Partial<
  Pick<
    LogRow,
    'id' | 'eventId' | 'userId' | 'type' | 'username' | 'tokenName' | 'tokenId' | 'modelName' | 'channelId' | 'group'
  >
> {
  /** In Unix seconds, both inclusive. */
  from?: number;
  to?: number;
}

/** A section of the result. */
export interface LogWindow {
  limit: number;
  offset?: number;
}

/** The position of a row in the order of the log. */
export type LogPlace = Pick<LogRow, 'createdAt' | 'id'>;

export interface LogCount {
  total: number;
  /** Otherwise an estimate, whose cost does not depend on the length of the log. */
  isExact: boolean;
}

/** Quota in units, number of rows, and tokens of prompts and completions together. */
export interface LogSums {
  quota: number;
  count: number;
  tokens: number;
}

/** An erased user and the pseudonym. */
export interface NamelessUser {
  userId: number;
  pseudonym: string;
}

export type LogDigest = Omit<z.output<typeof digestRequests.output>, 'isComparable'>;
export type UsageSpan = z.output<typeof sumChannelUsage.input>;
export type UsageSum = z.output<typeof sumChannelUsage.output>['sums'][number];
export type DoubtfulRequests = Omit<z.output<typeof listDoubtfulRequests.output>, 'isComplete'>;
export type DoubtSpan = z.output<typeof listDoubtfulRequests.input> & {
  /** Beginning and end of the day in its time zone, in milliseconds since the epoch; the end is exclusive. */
  from: number;
  to: number;
};

/**
 * The storage of the usage log: its rows, and the queries on them. The sums of rows (`quota_hour`, `channel_hour`,
 * `channel_usage`), the audit log and the list of erased users are in PostgreSQL with every store. Methods that change
 * both get the transaction on those tables as `em`: their changes become visible when it commits; if it rolls back, the
 * store must be as if the call had never been made, and the same call may be repeated.
 *
 * Rows are ordered by time, then by id; "newest" means the end of this order. Ids are unique and increase in the order
 * in which rows are added. A store that cannot be reached throws, and nothing is lost, because events are delivered
 * again.
 */
export abstract class LogStore {
  /**
   * Adds the rows of events that have none yet. An event is recognized by its id within a day of `createdAt`, because a
   * redelivered one may state another end time. Ids are in lower case, each at most once in `rows`. Rows of erased
   * users get their pseudonym and lose what may name them, however late they arrive. Sums by channel (`channel_usage`)
   * are updated with the rows; sums by hour are left to the caller. Returns the added rows, with the user name that was
   * stored.
   */
  abstract insert(em: EntityManager, rows: readonly NewLog[]): Promise<Pick<LogRow, 'eventId' | 'username'>[]>;

  /**
   * Await it after the transaction of `insert` has committed, and also when its outcome is unknown: all rows added by
   * then are visible afterwards. Throws if they cannot be made visible; may be repeated.
   */
  abstract settle(): Promise<void>;

  /** What `read` asks is answered as of one moment where a store can do that, and as it comes where it cannot. */
  atOnce<T>(read: () => Promise<T>): Promise<T> {
    return read();
  }

  /** Newest first. */
  abstract newest(conditions: LogConditions, window: LogWindow): Promise<LogRow[]>;

  /** The number of matching rows: exact for few, possibly estimated for many. */
  abstract count(conditions: LogConditions): Promise<LogCount>;

  /**
   * Rows whose content begins with the text, newest first. A store may search its newest hundred thousand rows only.
   */
  abstract startingWith(text: string, limit: number): Promise<LogRow[]>;

  abstract sums(conditions: LogConditions): Promise<LogSums>;

  /** The row of an event; null when there is none, or it has been cleared. */
  abstract find(eventId: string): Promise<LogRow | null>;

  /** Rows of a user after the given one, oldest first. */
  abstract ofUser(userId: number, behind: LogPlace, limit: number): Promise<LogRow[]>;

  /**
   * Removes every row older than a time (Unix seconds), of all types, and subtracts them from the totals of their
   * hours. Returns the number of rows. This is not a single transaction: after a failure the next call removes what is
   * left, and rows and hours agree at any time.
   */
  abstract clear(before: number): Promise<number>;

  /**
   * Removes what names a user from existing rows: about `atOnce` of them, from the second `from` on, and always whole
   * hours. Until the transaction ends, nobody else can change names in sums (`TO_CHANGE_NAMES`); the caller then
   * changes them for the same hours. Returns the beginning of the hour to continue from, or `undefined` when all rows
   * are done. May be repeated.
   */
  abstract eraseNames(
    em: EntityManager,
    user: NamelessUser,
    part: { from: number; atOnce: number },
  ): Promise<number | undefined>;

  /** The `requestDigest` of requests, without channel tests. `fromId` is inclusive, `toId` exclusive. */
  abstract digest(fromId: string, toId: string): Promise<LogDigest>;

  /** Usage of channels: from the sums for days that these contain completely, from rows for earlier days. */
  abstract channelUsage(span: UsageSpan): Promise<UsageSum[]>;

  /**
   * Requests of channels on a day that the provider may have counted differently: those with the largest usage first,
   * and their total number.
   */
  abstract doubtful(span: DoubtSpan): Promise<DoubtfulRequests>;
}
