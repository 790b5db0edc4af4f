import type { LogOther } from '@tollgate/contracts/api/log';
import type { LogType } from './log.entity.js';

/** A line of the usage log, as it is stored. */
export interface LogRow {
  /** Unix seconds. */
  createdAt: number;
  id: number;
  /** The event that the row records; of a request that is its request id. */
  eventId: string;
  userId: number;
  type: LogType;
  content: string;
  /** Names are as they were when the row was written. */
  username: string;
  tokenName: string;
  modelName: string;
  quota: number;
  promptTokens: number;
  completionTokens: number;
  /** Whole seconds. */
  useTime: number;
  isStream: boolean;
  /** 0 = none was reached. */
  channelId: number;
  channelName: string;
  /** 0 = playground, or no token at all. */
  tokenId: number;
  group: string;
  other?: LogOther | null;
}

/** A row to be written, before its names are known. What is left out is empty or 0. */
export interface LogDraft {
  eventId: string;
  /** Unix seconds, derived from the event alone, so that a redelivery derives the same. */
  createdAt: number;
  type: LogType;
  userId: number;
  content: string;
  request?: RequestColumns;
}

/** The columns only requests fill. */
export interface RequestColumns {
  modelName: string;
  quota: number;
  promptTokens: number;
  completionTokens: number;
  useTime: number;
  isStream: boolean;
  channelId: number;
  tokenId: number;
  /** Of what no token paid for; without it the playground did it. */
  tokenName?: string;
  group: string;
  other: LogOther;
}

/** A draft with its name, as it was written. */
export type WrittenLog<Draft extends LogDraft> = Draft & { username: string };

const MAX_CONTENT = 4_000;

/** Cut by whole characters. */
export const contentOf = (text: string): string =>
  text.length > MAX_CONTENT ? text.slice(0, MAX_CONTENT).toWellFormed() : text;
