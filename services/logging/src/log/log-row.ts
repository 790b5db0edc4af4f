import type { LogOther } from '@tollgate/contracts/api/log';
import type { RowType } from './log.entity.js';

/** A row of the usage log as it is stored. */
export interface LogRow {
  /** In Unix seconds. */
  createdAt: number;
  id: number;
  /** Id of the event that the row records; for a request this is its request id. */
  eventId: string;
  userId: number;
  type: RowType;
  content: string;
  /** Names as they were when the row was written. */
  username: string;
  tokenName: string;
  modelName: string;
  quota: number;
  promptTokens: number;
  completionTokens: number;
  /** In whole seconds. */
  useTime: number;
  isStream: boolean;
  /** 0 = no channel was tried. */
  channelId: number;
  channelName: string;
  /** 0 = playground, or no token. */
  tokenId: number;
  group: string;
  other?: LogOther | null;
}

/** A row to be written, before its names are resolved. Missing fields are stored as empty or 0. */
export interface LogDraft {
  eventId: string;
  /** In Unix seconds; derived from the event alone, so that a redelivery gets the same value. */
  createdAt: number;
  type: RowType;
  userId: number;
  content: string;
  request?: RequestColumns;
}

/** Columns that only rows of requests have. */
export interface RequestColumns {
  modelName: string;
  quota: number;
  promptTokens: number;
  completionTokens: number;
  useTime: number;
  isStream: boolean;
  channelId: number;
  tokenId: number;
  /** Set when no token was used and it was not the playground, which is what a missing token stands for otherwise. */
  tokenName?: string;
  group: string;
  other: LogOther;
}

/** A draft with its user name, as it was written. */
export type WrittenLog<Draft extends LogDraft> = Draft & { username: string };

const MAX_CONTENT = 4_000;

/** Cuts without splitting a surrogate pair. */
export const contentOf = (text: string): string =>
  text.length > MAX_CONTENT ? text.slice(0, MAX_CONTENT).toWellFormed() : text;
