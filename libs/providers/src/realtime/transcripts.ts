import type { Usage } from '@tollgate/contracts';
import type { JsonObject } from '../adapter.js';
import { isObject, objectOf, textOf } from '../json/json.js';
import { heardTokens } from './sound.js';
import { realtimeUsage } from './usage.js';

const PREFIX = 'conversation.item.input_audio_transcription.';

/**
 * The sound of a session that is written down beside its answers. A transcript is an item's: it begins when its sound is committed, ends
 * with a usage of its own, and comes before or after the answer to it, or without any.
 */
export class Transcripts {
  private isAsked = false;
  /** Seconds that were sent and are in no item yet. */
  private pending = 0;
  private sent = 0;
  /** Milliseconds of the session at which the upstream found that speech began, and how many seconds of it there were. */
  private speechBegan: number | undefined;
  private speech: number | undefined;
  /** Seconds of the items whose transcript nobody has charged. */
  private readonly items = new Map<string, number>();

  append(seconds: number): void {
    this.pending += seconds;
    this.sent += seconds;
  }

  clear(): void {
    this.pending = 0;
  }

  readSession(session: JsonObject): void {
    const { transcription = session.input_audio_transcription } = objectOf(objectOf(session.audio).input);
    if (transcription !== undefined) this.isAsked = isObject(transcription);
  }

  /** Seconds that are being written down, or were by an upstream that stated nothing of it. */
  get seconds(): number {
    return [...this.items.values()].reduce((sum, seconds) => sum + seconds, 0);
  }

  /** Seconds that a commit of the client would have written down. */
  get waiting(): number {
    return this.isAsked ? this.pending : 0;
  }

  /** An answer that listened has charged what it heard. */
  answered(): void {
    this.items.clear();
  }

  /** Whether the event began a transcript, and what the upstream states of one that ended. */
  heard(type: string, event: JsonObject): { hasBegun: boolean; usage?: Usage | undefined } {
    const id = textOf(event.item_id);
    if (type === 'input_audio_buffer.speech_started') this.speechBegan = numberOf(event.audio_start_ms);
    if (type === 'input_audio_buffer.speech_stopped') this.noteSpeech(numberOf(event.audio_end_ms));
    if (type === 'input_audio_buffer.committed') return { hasBegun: this.commit(id) };
    if (type === `${PREFIX}failed`) this.items.delete(id);
    return type === `${PREFIX}completed`
      ? { hasBegun: false, usage: this.stated(objectOf(event.usage)) }
      : { hasBegun: false };
  }

  /** The transcript of this item is charged. */
  settled(event: JsonObject): void {
    this.items.delete(textOf(event.item_id));
  }

  private noteSpeech(end: number | undefined): void {
    const { speechBegan } = this;
    if (end !== undefined && speechBegan !== undefined) this.speech = Math.max(0, end - speechBegan) / 1000;
  }

  /** What was silence before the speech is not written down. */
  private commit(id: string): boolean {
    const seconds = Math.min(this.pending, this.speech ?? this.pending);
    this.pending = 0;
    this.speech = undefined;
    if (this.isAsked) this.items.set(id, (this.items.get(id) ?? 0) + seconds);
    return this.isAsked;
  }

  /** Tokens, or seconds of no more than was sent. */
  private stated(usage: JsonObject): Usage | undefined {
    const seconds = numberOf(usage.seconds);
    if (usage.type !== 'duration' || seconds === undefined) return realtimeUsage(usage);
    return soundUsage(Math.min(Math.max(0, seconds), this.sent));
  }
}

/** So many seconds that were listened to. */
export const soundUsage = (seconds: number): Usage => ({
  ...{ semantics: 'openai', inputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 0 },
  audioInputTokens: Math.round(heardTokens(seconds)),
});

const numberOf = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) ? value : undefined;
