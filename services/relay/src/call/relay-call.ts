import type { ServerResponse } from 'node:http';
import type { TokenRecord, UserRecord } from '@tollgate/contracts';
import type { Dialect, JsonObject } from '@tollgate/providers';

/** The capabilities of a provider that this relay serves, by the name of the adapter. */
export type Endpoint = 'chat' | 'messages' | 'embeddings' | 'completions' | 'gemini';

/** One admitted request on its way through the pipeline. */
export interface RelayCall {
  readonly requestId: string;
  readonly endpoint: Endpoint;
  readonly dialect: Dialect;
  readonly json: JsonObject;
  readonly bytes: Buffer;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly apiVersion?: string;
  readonly user: UserRecord;
  /** Undefined in the playground. */
  readonly token: TokenRecord | undefined;
  /** As requested; prices, limits and logs use it. */
  readonly model: string;
  /** The effective group. */
  readonly group: string;
  /** Set when an administrator's key names its channel. */
  readonly channelId?: number;
  readonly isStream: boolean;
  /** The stream is one JSON array that grows, and no events: Gemini's own without `alt=sse`. */
  readonly isJsonArray?: boolean;
  /** Whether the client asked for the usage chunk. */
  readonly includeUsage: boolean;
  /** Milliseconds since the epoch, and on the clock that never jumps. */
  readonly startedAt: number;
  readonly startedMono: number;
  readonly response: ServerResponse;
}
