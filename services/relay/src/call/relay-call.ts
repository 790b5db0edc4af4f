import type { ServerResponse } from 'node:http';
import type { TokenRecord, UserRecord } from '@tollgate/contracts';
import type { ClientForm, Dialect, JsonObject } from '@tollgate/providers';
import type { Endpoint } from './endpoints.js';
import type { Refusal } from './refusal.js';

/** A form with a file on its way through. */
export interface PassingForm extends ClientForm {
  /** The first bytes of the file, which tell its format. */
  readonly head: Buffer;
  /** The most that the file can have, in bytes; what it has, once it is here. */
  readonly mostBytes: number;
  /** Whether all of it is here; before, nobody can have listened to the end. */
  readonly isComplete: boolean;
  /** Whether it can be sent once more. */
  readonly isReplayable: boolean;
  /** All of its one file, where it is here and was kept. */
  readonly kept?: Buffer | undefined;
  /** Where it has several files: those. */
  readonly files?: readonly unknown[];
  /** Why it cannot go on; its request is to be refused with it. */
  readonly failure: Refusal | undefined;
  /** Of all its fields and its file, whatever divides them on the line; reads the form to its end. */
  digest(): Promise<Buffer>;
  /** What all fields have to pass before the upstream gets the end of the form; throws the refusal of what it finds. */
  guard(check: (fields: JsonObject) => void): void;
}

/** What is billed and logged of a call, and of a session of many answers. */
export type BilledCall = Pick<
  RelayCall,
  | ('requestId' | 'user' | 'token' | 'model' | 'group' | 'isStream' | 'startedAt' | 'startedMono')
  | ('isAgain' | 'repeats' | 'wasCharged' | 'mayRecord')
> & {
  readonly endpoint: Endpoint | 'realtime' | 'task';
  /** What was handed to an upstream to work on. */
  task?: { readonly action: string; readonly upstreamId: string };
};

/** One admitted request on its way through the pipeline. */
export interface RelayCall {
  readonly requestId: string;
  /** An earlier run of this call has died under this id. */
  readonly isAgain?: boolean;
  /** The id of an earlier run that died and is charged: this one makes up for it, and costs nothing. */
  readonly repeats?: string;
  /** The record of an earlier run is the charge of this id: there is none to write. */
  readonly wasCharged?: boolean;
  /** Of a call that another run may take over: whether the record of the id is this one's to write. Asked before the first byte of it. */
  readonly mayRecord?: (recorded: 'charged' | 'free') => Promise<boolean>;
  readonly endpoint: Endpoint;
  readonly dialect: Dialect;
  readonly json: JsonObject;
  readonly bytes: Buffer;
  /** In place of `bytes`; `json` has the fields that are known. */
  readonly form?: PassingForm;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly apiVersion?: string;
  readonly pathAndQuery?: string;
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

/** The form of a call whose file is sound to be written down; undefined for other calls. */
export const soundOf = ({ endpoint, form }: Pick<RelayCall, 'endpoint' | 'form'>): PassingForm | undefined =>
  endpoint === 'transcriptions' || endpoint === 'translations' ? form : undefined;
