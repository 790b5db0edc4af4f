import type { Usage } from '@tollgate/contracts';
import type { JsonObject } from '../adapter.js';
import { isObject, objectOf, textOf } from '../json/json.js';
import { heardTokens } from './sound.js';
import { realtimeUsage } from './usage.js';

const PREFIX = 'conversation.item.input_audio_transcription.';

/**
 * Tracks the audio that is transcribed in a session, separately from answers. A transcription belongs to an item: it begins when its audio
 * is committed, ends with its own usage, and may come before, after or without an answer to that audio.
 */
export class Transcripts {
  private isRequested = false;
  /** Seconds sent that are not part of an item yet. */
  private pending = 0;
  private sent = 0;
  /** Start of detected speech, in milliseconds of the session, and duration of the last speech in seconds. */
  private speechBegan: number | undefined;
  private speech: number | undefined;
  /** Seconds by item whose transcription has not been charged. */
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
    if (transcription !== undefined) this.isRequested = isObject(transcription);
  }

  /** Seconds that are being transcribed, or whose transcription stated no usage. */
  get seconds(): number {
    return [...this.items.values()].reduce((sum, seconds) => sum + seconds, 0);
  }

  /** Seconds that a commit of the client would have transcribed. */
  get waiting(): number {
    return this.isRequested ? this.pending : 0;
  }

  /** An answer that heard the audio has been charged for it. */
  answered(): void {
    this.items.clear();
  }

  /** Whether the event began a transcription, and the stated usage of one that has ended. */
  received(type: string, event: JsonObject): { hasBegun: boolean; usage?: Usage | undefined } {
    const id = textOf(event.item_id);
    if (type === 'input_audio_buffer.speech_started') this.speechBegan = numberOf(event.audio_start_ms);
    if (type === 'input_audio_buffer.speech_stopped') this.noteSpeech(numberOf(event.audio_end_ms));
    if (type === 'input_audio_buffer.committed') return { hasBegun: this.commit(id) };
    if (type === `${PREFIX}failed`) this.items.delete(id);
    return type === `${PREFIX}completed`
      ? { hasBegun: false, usage: this.stated(objectOf(event.usage)) }
      : { hasBegun: false };
  }

  /** The transcription of this item has been charged. */
  settled(event: JsonObject): void {
    this.items.delete(textOf(event.item_id));
  }

  private noteSpeech(end: number | undefined): void {
    const { speechBegan } = this;
    if (end !== undefined && speechBegan !== undefined) this.speech = Math.max(0, end - speechBegan) / 1000;
  }

  /** Silence before the speech is not transcribed. */
  private commit(id: string): boolean {
    const seconds = Math.min(this.pending, this.speech ?? this.pending);
    this.pending = 0;
    this.speech = undefined;
    if (this.isRequested) this.items.set(id, (this.items.get(id) ?? 0) + seconds);
    return this.isRequested;
  }

  /** Usage by tokens, or by a duration of at most the audio sent. */
  private stated(usage: JsonObject): Usage | undefined {
    const seconds = numberOf(usage.seconds);
    if (usage.type !== 'duration' || seconds === undefined) return realtimeUsage(usage);
    return soundUsage(Math.min(Math.max(0, seconds), this.sent));
  }
}

/** Usage for seconds of audio input. */
export const soundUsage = (seconds: number): Usage => ({
  ...{ semantics: 'openai', inputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 0 },
  audioInputTokens: Math.round(heardTokens(seconds)),
});

const numberOf = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) ? value : undefined;
