import type { EntityManager } from '@mikro-orm/postgresql';
import type { digestRequests, listDoubtfulRequests, sumChannelUsage } from '@tollgate/contracts';
import type { z } from 'zod';
import type { LogRow } from '../log/log-row.js';

/** A row to be added; the store gives it its number. */
export type NewLog = Omit<LogRow, 'id'>;

/** What rows must equal, all of it. Texts are compared as a whole and literally; what is left out may be anything. */
export interface LogConditions extends Partial<
  Pick<
    LogRow,
    'id' | 'eventId' | 'userId' | 'type' | 'username' | 'tokenName' | 'tokenId' | 'modelName' | 'channelId' | 'group'
  >
> {
  /** Unix seconds, both inclusive. */
  from?: number;
  to?: number;
}

/** So many rows, after so many others. */
export interface LogWindow {
  limit: number;
  offset?: number;
}

/** Where a row stands in the order of the log. */
export type LogPlace = Pick<LogRow, 'createdAt' | 'id'>;

export interface LogCount {
  total: number;
  /** Otherwise it is an estimate, which costs no more over a long log than over a short one. */
  isExact: boolean;
}

/** Units, rows, and tokens of prompts and completions together. */
export interface LogSums {
  quota: number;
  count: number;
  tokens: number;
}

/** Somebody who is no longer to be named, and what stands in the place of the name. */
export interface NamelessUser {
  userId: number;
  pseudonym: string;
}

export type LogDigest = Omit<z.output<typeof digestRequests.output>, 'isComparable'>;
export type UsageSpan = z.output<typeof sumChannelUsage.input>;
export type UsageSum = z.output<typeof sumChannelUsage.output>['sums'][number];
export type DoubtfulRequests = Omit<z.output<typeof listDoubtfulRequests.output>, 'isComplete'>;
export type DoubtSpan = z.output<typeof listDoubtfulRequests.input> & {
  /** When the day begins and ends on the clock of its zone, milliseconds since the epoch; the end is outside. */
  from: number;
  to: number;
};

/**
 * Where the usage log is kept: its rows, and what is asked of them. What is added up from rows (`quota_hour`, `channel_hour`, `channel_usage`), the audit
 * log and the list of erased users are tables of the service in PostgreSQL for every store, and what changes both takes the transaction over those tables as
 * `em`: what it wrote is to be seen when that commits, and as if it had never been when that does not and the same comes again.
 *
 * Rows have one order, by time and then by number; "newest" is the end of it. Numbers are unique, and larger the later a row was added.
 * A store that cannot be reached throws, and nothing is lost: what was to be written comes again.
 */
export abstract class LogStore {
  /**
   * Adds the rows of events that have none yet. An event is known by its id within a day of `createdAt`, because one that comes again may state another end;
   * ids are in lower case, each at most once in `rows`. Rows of erased users get their pseudonym and lose what may name them, however late they come.
   * Sums by channel (`channel_usage`) are changed with the rows, sums by the hour are the caller's to add.
   * Answers what was added, with the name under which it is stored.
   */
  abstract insert(em: EntityManager, rows: readonly NewLog[]): Promise<Pick<LogRow, 'eventId' | 'username'>[]>;

  /**
   * To be awaited once the transaction of `insert` is committed, and wherever its outcome is not known: what was added by then is to be seen from there on.
   * Throws where it cannot be, and is safe to repeat.
   */
  abstract settle(): Promise<void>;

  /** What `read` asks is answered as of one moment where a store can do that, and as it comes where it cannot. */
  atOnce<T>(read: () => Promise<T>): Promise<T> {
    return read();
  }

  /** Newest first. */
  abstract newest(conditions: LogConditions, window: LogWindow): Promise<LogRow[]>;

  /** Of the rows that meet the conditions: exact for few, estimated at the store's discretion for many. */
  abstract count(conditions: LogConditions): Promise<LogCount>;

  /** Rows whose content begins with the text, newest first; a store may look at its newest hundred thousand rows only. */
  abstract startingWith(text: string, limit: number): Promise<LogRow[]>;

  abstract sums(conditions: LogConditions): Promise<LogSums>;

  /** The row of an event; null when there is none, or none any more. */
  abstract find(eventId: string): Promise<LogRow | null>;

  /** All rows of a user, oldest first, after a given one. */
  abstract ofUser(userId: number, behind: LogPlace, limit: number): Promise<LogRow[]>;

  /**
   * Removes every row older than a time (Unix seconds), of all types, and takes what goes from the totals of its hours. Answers how many it were. Not one transaction:
   * when it breaks off, what is left is removed by the next call, and rows and hours agree at any moment.
   */
  abstract clear(before: number): Promise<number>;

  /**
   * Takes what names somebody out of rows that are there already: about `atOnce` of them, from the second `from` on, and always whole hours. Until the transaction
   * ends nobody else changes names in sums (`TO_CHANGE_NAMES`), which the caller then does for the same hours. Answers the beginning of the hour to go on from,
   * undefined when all rows were done. Safe to repeat.
   */
  abstract eraseNames(
    em: EntityManager,
    user: NamelessUser,
    part: { from: number; atOnce: number },
  ): Promise<number | undefined>;

  /** Of requests, without tests of channels, by `requestDigest`: `fromId` is the least id, `toId` the first that is outside. */
  abstract digest(fromId: string, toId: string): Promise<LogDigest>;

  /** What channels used, from the sums of the days that these hold whole, and from rows for days before. */
  abstract channelUsage(span: UsageSpan): Promise<UsageSum[]>;

  /** Requests of channels on a day that their provider may count otherwise, those that used most first, and how many there are. */
  abstract doubtful(span: DoubtSpan): Promise<DoubtfulRequests>;
}
