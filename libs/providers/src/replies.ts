import type { Attempt, Usage } from '@tollgate/contracts';
import type { ChannelSetting, JsonObject } from './requests.js';
import type { TextRoom } from './stream/kept-text.js';
import type { ReplyText } from './stream/reply-text.js';

/** Lower-case names. */
export type ReplyHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** Facts about the request that an adapter needs to read the reply. */
export interface ReplyContext {
  /** Our request id; ids of converted replies are derived from it. */
  requestId: string;
  /** Model name shown to the client when the upstream states none. */
  model: string;
  /** The upstream's name for the model, if the dialect of the reply depends on it; `undefined` when it equals `model`. */
  upstreamModel?: string;
  /** Whether the client asked for the usage chunk at the end of a stream. */
  includeUsage: boolean;
  setting: ChannelSetting;
  /** Omit the steps that an agent or workflow reports before its answer. */
  hidesSteps?: boolean;
  /** Unix seconds, for `created` of converted replies. */
  nowSeconds: number;
  /** Our own count of the prompt, shown by dialects that state prompt tokens before the upstream has stated them. */
  promptTokens: number;
  /** Values of the channel that must be masked in messages, see `secretsOf`. */
  secrets: readonly string[];
  /** Memory budget for the kept text of all running streams of the process; `undefined` for no bound. */
  room?: TextRoom;
  /** Headers of the upstream's reply, if it is not streamed. */
  headers?: ReplyHeaders | undefined;
  /** The client's body; some replies repeat parts of it. */
  request?: JsonObject;
}

/** A failure that an upstream reported, with its original status and with addresses, keys and accounts masked. */
export interface UpstreamFault {
  class: Attempt['class'];
  message: string;
  /** The upstream stated no message that we can read, so it is one of ours. Not for clients. */
  isUnstated?: true;
  type: string;
  code: string;
  /** The code as the upstream wrote it, when it is not a string; clients get it unchanged. */
  statedCode?: number | null;
  /** Of an error in a reply with status 200: the status that it states, which a plain refusal would have had. */
  status?: number;
  param?: string;
}

export interface Reply {
  /** In the client's dialect; the upstream's own bytes when both dialects are the same. */
  body: Buffer;
  /** `undefined` means JSON. */
  contentType?: string;
  /** `undefined` when the upstream stated no usage; a stated zero is a value. */
  usage: Usage | undefined;
  /** The usage is derived from the stated duration of audio instead of a token count. */
  isByLength?: true;
  /** Set when a 200 reply holds an error; `body` must then not be used. */
  fault?: UpstreamFault;
  /** The text of the reply for local counting; called only when `usage` is undefined. */
  text(): ReplyText;
  /** The body with the booked usage inserted, for clients that expect usage the upstream did not state. */
  withUsage?(usage: Usage): Buffer;
}

/**
 * Passes one upstream stream on to one client. The terminal event is held back until `lastFrames`, so that the caller can record the
 * outcome before the client sees the end. `push` returns whole events only.
 *
 * Order of calls: `push` for each chunk, then `close` when the upstream's body has ended, then `lastFrames` if `isComplete`, else
 * `errorFrames`.
 */
export interface ReplyStream {
  /** Bytes to send now; `undefined` when there are none. Throws only `SseOverflow`. */
  push(chunk: Buffer): Buffer | undefined;
  /** Called when the upstream's body has ended: frames from an unterminated last event, if any. */
  close(): Buffer | undefined;
  /** The terminal event or a finish reason was received; if still false after `close`, the stream was cut. */
  readonly isComplete: boolean;
  /** The terminal event was received; everything after it is ignored. */
  readonly isDone: boolean;
  /**
   * Whether the upstream has stated how the answer ended; its usage and terminal event may still follow. Parses events that were not parsed
   * yet.
   */
  hasEnded(): boolean;
  /** Set when the upstream sent an error event; nothing after it is forwarded. */
  readonly fault: UpstreamFault | undefined;
  /** Number of events that were not valid JSON; they are skipped. */
  readonly malformedEvents: number;
  /** The usage stated at the end of the answer, with no text after it; `undefined` before that. */
  usage(): Usage | undefined;
  /** The last usage stated, at the end or before: exact for the prompt, a lower bound for the output. */
  usageSoFar(): Usage | undefined;
  /** Bytes pushed so far that are known to hold no text; absent when that is unknown. */
  readonly frameBytes?: number;
  /** Everything received so far; parses events that were not parsed yet. */
  text(): ReplyText;
  /** The usage chunk, if the client asked for it and the upstream sent none, and the terminal events. `usage` is the booked usage. */
  lastFrames(usage?: Usage): Buffer;
  /** The error event of the client's dialect, for a stream that has begun. */
  errorFrames(error: ClientError, requestId: string): Buffer;
  /** Frees memory once the stream is not read any more. May be called repeatedly. */
  dispose(): void;
}

/** An error for a client, before it is written in a dialect. */
export interface ClientError {
  message: string;
  type: string;
  code: string;
  /** An upstream's code that is not a string; dialects with a code member send it instead of `code`. */
  statedCode?: number | null;
  /** The HTTP status of a whole reply with this error; events of dialects that name the status send it. */
  status?: number;
  /** Send the message without appending the request id. */
  isPlain?: boolean;
  param?: string | null;
  /** What Anthropic's clients read beside the message, as `error.details`; no other dialect has it. */
  details?: JsonObject;
}
