import type { ServerResponse } from 'node:http';
import type { TokenRecord, UserRecord } from '@tollgate/contracts';
import type { ClientForm, Dialect, JsonObject } from '@tollgate/providers';
import type { Endpoint } from './endpoints.js';
import type { Refusal } from './refusal.js';

/** A multipart form with a file, which may be forwarded while it is still being received. */
export interface PassingForm extends ClientForm {
  /** The first bytes of the file, by which its format is recognized. */
  readonly head: Buffer;
  /** Upper bound for the size of the file in bytes; the exact size once the file is complete. */
  readonly mostBytes: number;
  /** Whether the whole form was received; until then the length of the sound is unknown. */
  readonly isComplete: boolean;
  /** Whether the form can be sent a second time, to another channel. */
  readonly isReplayable: boolean;
  /** The whole content of a single file, where it was received completely and kept. */
  readonly kept?: Buffer | undefined;
  /** The files of a form that has several. */
  readonly files?: readonly unknown[];
  /** Why the form cannot be read further; the request is refused with it. */
  readonly failure: Refusal | undefined;
  /** A digest of all fields and the file, independent of the multipart boundary. Reads the form to its end. */
  digest(): Promise<Buffer>;
  /**
   * Registers a check of all fields, which runs before the upstream gets the end of the form. The check throws a
   * refusal.
   */
  guard(check: (fields: JsonObject) => void): void;
}

/** The parts of a call, or of a realtime session with many answers, that billing and logging need. */
export type BilledCall = Pick<
  RelayCall,
  | ('requestId' | 'user' | 'token' | 'model' | 'group' | 'channelId' | 'isStream' | 'startedAt' | 'startedMono')
  | ('isAgain' | 'repeats' | 'wasCharged' | 'mayRecord')
> & {
  readonly endpoint: Endpoint | 'realtime' | 'task';
  /** Set for a task that was handed to an upstream. */
  task?: { readonly action: string; readonly upstreamId: string };
};

/** One request on its way through admission and the pipeline. */
export interface RelayCall {
  readonly requestId: string;
  /** An earlier run of this call, under the same request id, died before it ended. */
  readonly isAgain?: boolean;
  /** The id of an earlier run that died and is charged: this run makes up for it and costs nothing. */
  readonly repeats?: string;
  /** The record of an earlier run already charges this id, so this run writes none. */
  readonly wasCharged?: boolean;
  /**
   * Set for a call that another run may take over: tells whether this run may write the record of the id. Called before
   * the first byte of the record is written.
   */
  readonly mayRecord?: (recorded: 'charged' | 'free') => Promise<boolean>;
  readonly endpoint: Endpoint;
  readonly dialect: Dialect;
  readonly json: JsonObject;
  readonly bytes: Buffer;
  /** Used instead of `bytes`; `json` then holds the fields that were read so far. */
  readonly form?: PassingForm;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly apiVersion?: string;
  readonly pathAndQuery?: string;
  readonly user: UserRecord;
  /** `undefined` in the playground. */
  readonly token: TokenRecord | undefined;
  /** The model that the client requested; prices, limits and logs go by this name. */
  readonly model: string;
  /** The effective group. */
  readonly group: string;
  /** Set when an administrator's key names the channel to use. */
  readonly channelId?: number;
  readonly isStream: boolean;
  /** The stream is one growing JSON array instead of events: Gemini's own format without `alt=sse`. */
  readonly isJsonArray?: boolean;
  /** Whether the client asked for the usage chunk. */
  readonly includeUsage: boolean;
  /** `startedAt`: milliseconds since the epoch. `startedMono`: milliseconds of the monotonic clock. */
  readonly startedAt: number;
  readonly startedMono: number;
  readonly response: ServerResponse;
}

/** The form of a call whose file is sound to be transcribed or translated; `undefined` for other calls. */
export const soundOf = ({ endpoint, form }: Pick<RelayCall, 'endpoint' | 'form'>): PassingForm | undefined =>
  endpoint === 'transcriptions' || endpoint === 'translations' ? form : undefined;
