import type { Usage } from '@tollgate/contracts';
import type { Json, JsonObject } from '../adapter.js';
import { arrayOf, objectOf, parseObject, textOf } from '../json/json.js';
import { heardTokens, secondsOf, spokenTokens } from './sound.js';
import { soundUsage, Transcripts } from './transcripts.js';
import { realtimeUsage } from './usage.js';

/** Text that is kept for counting; of what is beyond it only the bytes are known. */
const KEPT_CHARACTERS = 256 * 1024;
/** What a prompt may hold that was never sent here: a stored prompt, the provider's own words, reasoning. */
const HIDDEN_TOKENS = 32_768;
const TOOL_TOKENS = 8;

/** Words and sound of one side: what was asked since the last answer, or what one answer said. */
class Piece {
  text = '';
  droppedBytes = 0;
  seconds = 0;

  add(text: string): void {
    const room = KEPT_CHARACTERS - this.text.length;
    this.text += text.slice(0, room);
    if (text.length > room) this.droppedBytes += Buffer.byteLength(text.slice(room));
  }

  /** What that one has follows what this one has. */
  join({ text, droppedBytes, seconds }: Piece): this {
    this.add(text);
    this.droppedBytes += droppedBytes;
    this.seconds += seconds;
    return this;
  }

  get isEmpty(): boolean {
    return this.text === '' && this.droppedBytes === 0 && this.seconds === 0;
  }

  /** At most so many: no tokenizer makes more tokens of a text than it has bytes, and few make more than a third. */
  get roughTokens(): number {
    return Math.ceil((Buffer.byteLength(this.text) + this.droppedBytes) / 3);
  }
}

/** Tokens by what their prices depend on. */
export interface SpokenTokens {
  text: number;
  audio: number;
}

/** What an event means for the bill. */
export type RealtimeEvent =
  /** The client asks for an answer, or the upstream begins one. */
  | { kind: 'asked' | 'begun' }
  /** Something of an answer. */
  | { kind: 'spoken' }
  | { kind: 'done'; id: string; usage: Usage | undefined; isPlausible: boolean; isAside: boolean }
  /** Sound is about to be written down, or begins to be. */
  | { kind: 'listening' }
  /** A transcript ended. */
  | { kind: 'transcribed'; usage: Usage | undefined; isPlausible: boolean }
  | { kind: 'other' };

const OTHER: RealtimeEvent = { kind: 'other' };

/** Events of the beta and their later names. */
const AUDIO_DELTAS = new Set(['response.audio.delta', 'response.output_audio.delta']);
const TEXT_DELTAS = new Set([
  'response.text.delta',
  'response.output_text.delta',
  'response.audio_transcript.delta',
  'response.output_audio_transcript.delta',
  'response.function_call_arguments.delta',
]);

const SESSION_STATES = new Set(['session.created', 'session.updated', 'transcription_session.updated']);

/**
 * Follows one session by its events, which it never changes: what the upstream states of each answer, and our own count where it states
 * nothing. An event that cannot be read counts as none.
 */
export class RealtimeMeter {
  private asked = new Piece();
  /** What answers beside the conversation were asked, which no other one reads. */
  private askedAside = new Piece();
  /** What was spoken, by the id of its answer: two answers can overlap. */
  private readonly spoken = new Map<string, Piece>();
  private readonly transcripts = new Transcripts();
  /** Answers under way. */
  private readonly open = new Set<string>();
  /** Answers that the client has asked for and that have not begun. */
  private awaited = 0;
  /** What the next answer reads again, as far as it is known. */
  private context: SpokenTokens = { text: 0, audio: 0 };
  private bytesSoFar = 0;
  private bytesHeard = 0;
  private answers = 0;
  private tools: string[] = [];
  private inputFormat: string | undefined;
  private outputFormat: string | undefined;

  /** An answer is being made. */
  get isAnswering(): boolean {
    return this.open.size > 0;
  }

  /** Answers that are asked for or made: several where they belong to no conversation. */
  get underWay(): number {
    return this.open.size + this.awaited;
  }

  /** Counts a frame from the client, and reads it. */
  sent(frame: Buffer): RealtimeEvent {
    this.bytesSoFar += frame.length;
    const event = parseObject(frame.toString('utf8'));
    switch (event?.type) {
      case 'session.update':
      case 'transcription_session.update':
        this.readSession(objectOf(event.session));
        return OTHER;
      case 'input_audio_buffer.append':
        this.append(secondsOf(textOf(event.audio), this.inputFormat));
        return OTHER;
      case 'input_audio_buffer.clear':
        this.transcripts.clear();
        return OTHER;
      case 'input_audio_buffer.commit':
        return this.transcripts.waiting > 0 ? { kind: 'listening' } : OTHER;
      case 'conversation.item.create':
        this.readItem(objectOf(event.item), this.asked);
        return OTHER;
      case 'response.create': {
        const response = objectOf(event.response);
        const piece = response.conversation === 'none' ? this.askedAside : this.asked;
        piece.add(textOf(response.instructions));
        for (const item of arrayOf(response.input)) this.readItem(objectOf(item), piece);
        this.awaited += 1;
        return { kind: 'asked' };
      }
      default:
        return OTHER;
    }
  }

  /** Counts a frame from the upstream, and reads it. */
  heard(frame: Buffer): RealtimeEvent {
    this.bytesSoFar += frame.length;
    this.bytesHeard += frame.length;
    const event = parseObject(frame.toString('utf8'));
    const type = textOf(event?.type);
    if (event === undefined || type === '') return OTHER;
    if (AUDIO_DELTAS.has(type)) {
      this.spokenIn(event).seconds += secondsOf(textOf(event.delta), this.outputFormat);
      return { kind: 'spoken' };
    }
    if (TEXT_DELTAS.has(type)) {
      this.spokenIn(event).add(textOf(event.delta));
      return { kind: 'spoken' };
    }
    return this.heardOfState(type, event);
  }

  private heardOfState(type: string, event: JsonObject): RealtimeEvent {
    const response = objectOf(event.response);
    // What was asked for has begun, or was refused.
    if (type === 'response.created' || type === 'error') this.awaited = Math.max(0, this.awaited - 1);
    if (type === 'response.created') {
      this.open.add(textOf(response.id));
      return { kind: 'begun' };
    }
    if (type === 'response.done') {
      const id = this.idOf(response.id);
      this.open.delete(id);
      const usage = realtimeUsage(response.usage);
      const isAside = response.conversation_id === null;
      return { kind: 'done', id, usage, isPlausible: usage !== undefined && this.canBe(usage), isAside };
    }
    if (SESSION_STATES.has(type)) this.readFormats(objectOf(event.session));
    return this.heardOfTranscript(type, event);
  }

  private heardOfTranscript(type: string, event: JsonObject): RealtimeEvent {
    const { hasBegun, usage } = this.transcripts.heard(type, event);
    if (hasBegun) return { kind: 'listening' };
    if (usage === undefined) return OTHER;
    const isPlausible = this.canBe(usage);
    if (isPlausible) this.transcripts.settled(event);
    return { kind: 'transcribed', usage, isPlausible };
  }

  private append(seconds: number): void {
    this.asked.seconds += seconds;
    this.transcripts.append(seconds);
  }

  /** Our own count of the sound that is written down and that nobody has charged: neither its transcript nor an answer to it. */
  unchargedSound(): Usage | undefined {
    const { seconds } = this.transcripts;
    return seconds > 0 ? soundUsage(seconds) : undefined;
  }

  /** What a commit of the client adds to it. */
  soundToCome(): Usage {
    return soundUsage(this.transcripts.waiting);
  }

  /** An upstream that does not say which answer it means speaks of the one that began last. */
  private idOf(stated: Json | undefined): string {
    return textOf(stated) || ([...this.open].at(-1) ?? '');
  }

  private spokenIn(event: JsonObject): Piece {
    const id = this.idOf(event.response_id);
    const piece = this.spoken.get(id) ?? new Piece();
    this.spoken.set(id, piece);
    return piece;
  }

  /** What was spoken in this answer, or without an id in all that are not settled. */
  private said(id: string | undefined): Piece {
    const pieces = [...this.spoken.values()];
    if (id !== undefined || pieces.length < 2)
      return (id === undefined ? pieces[0] : this.spoken.get(id)) ?? new Piece();
    return pieces.reduce((all, piece) => all.join(piece), new Piece());
  }

  /** What was asked since the last answer ended, and said in this one, or in all that are not settled; for an exact count. */
  texts(id?: string): { asked: string; spoken: string } {
    return { asked: this.asked.text + this.askedAside.text, spoken: this.said(id).text };
  }

  /** Whether any of this answer came, or of any, that is not settled. */
  hasSpoken(id?: string): boolean {
    return !this.said(id).isEmpty;
  }

  /** Our own count of this answer, or of all that are not settled: what was asked since the one before, each tool beside it from the second on. */
  estimate(tokens: { asked: number; spoken: number; tools: number }, id?: string): Usage {
    const said = this.said(id);
    const asked = this.allAsked();
    const tools = this.answers > 0 ? TOOL_TOKENS * this.tools.length + tokens.tools : 0;
    return {
      semantics: 'openai',
      inputTokens: tokens.asked + Math.ceil(asked.droppedBytes / 3) + tools,
      cacheReadTokens: 0,
      cacheWriteTokens: 0,
      outputTokens: tokens.spoken + Math.ceil(said.droppedBytes / 3),
      audioInputTokens: Math.round(heardTokens(asked.seconds)),
      audioOutputTokens: Math.round(spokenTokens(said.seconds)),
    };
  }

  toolTexts(): string {
    return this.tools.join('\n');
  }

  /** The same, for next to nothing. */
  estimateRoughly(): Usage {
    return this.estimate({
      asked: this.allAsked().roughTokens,
      spoken: this.said(undefined).roughTokens,
      tools: Math.ceil(Buffer.byteLength(this.toolTexts()) / 3),
    });
  }

  /** What an answer that began now would read, by all that is known of the conversation. */
  nextPrompt(): SpokenTokens {
    const asked = this.promptAsked();
    return { text: this.context.text + asked.text, audio: this.context.audio + asked.audio };
  }

  /** What the answers under way read beside what was asked once: the conversation each, and what was asked all but one. */
  promptsBeside(): SpokenTokens {
    const answers = Math.max(1, this.underWay);
    const { text, audio } = this.nextPrompt();
    const asked = this.promptAsked();
    return { text: answers * text - asked.text, audio: answers * audio - asked.audio };
  }

  /**
   * What the answers that are left in the middle have read again of the conversation. A provider has that in its cache, so it is charged as what
   * comes out of it.
   */
  readAgain(): Usage | undefined {
    const answers = [...this.spoken.keys()].filter((id) => this.open.has(id)).length;
    const tokens = answers * (this.context.text + this.context.audio);
    return tokens > 0
      ? { semantics: 'openai', inputTokens: 0, cacheReadTokens: tokens, cacheWriteTokens: 0, outputTokens: 0 }
      : undefined;
  }

  private allAsked(): Piece {
    return this.askedAside.isEmpty ? this.asked : new Piece().join(this.asked).join(this.askedAside);
  }

  private promptAsked(): SpokenTokens {
    const asked = this.allAsked();
    return { text: asked.roughTokens, audio: Math.ceil(heardTokens(asked.seconds)) };
  }

  /**
   * This answer, or all that were left, has its usage: all it read and said is what the next one reads again. One beside the conversation
   * (`isAside`) tells nothing of that.
   */
  settled(usage: Usage, { isStated, isAside = false }: { isStated: boolean; isAside?: boolean }, id?: string): void {
    if (!isAside) this.goOn(usage, isStated);
    this.answers += 1;
    if ((usage.audioInputTokens ?? 0) + usage.cacheReadTokens > 0) this.transcripts.answered();
    this.askedAside = new Piece();
    this.bytesHeard = 0;
    if (id === undefined) this.spoken.clear();
    else this.spoken.delete(id);
  }

  private goOn(usage: Usage, isStated: boolean): void {
    const text = usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens + usage.outputTokens;
    const audio = (usage.audioInputTokens ?? 0) + (usage.audioOutputTokens ?? 0);
    const before = isStated ? { text: 0, audio: 0 } : this.context;
    this.context = { text: before.text + text, audio: before.audio + audio };
    this.asked = new Piece();
  }

  /** No text has more tokens than bytes: what was read is bounded by all that went either way, and what was said by what came. */
  private canBe(usage: Usage): boolean {
    const { semantics: _, pictures: _pictures, searches: _searches, ...counts } = usage;
    if (!Object.values(counts).every((tokens) => Number.isSafeInteger(tokens) && tokens >= 0)) return false;
    const media = (usage.imageInputTokens ?? 0) + (usage.audioInputTokens ?? 0);
    const prompt = usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens + media;
    const answer = usage.outputTokens + (usage.audioOutputTokens ?? 0);
    return prompt <= this.bytesSoFar + HIDDEN_TOKENS && answer <= this.bytesHeard + HIDDEN_TOKENS;
  }

  private readSession(session: JsonObject): void {
    this.asked.add(textOf(session.instructions));
    if (Array.isArray(session.tools)) this.tools = arrayOf(session.tools).map((tool) => JSON.stringify(tool));
    this.readFormats(session);
  }

  private readFormats(session: JsonObject): void {
    this.transcripts.readSession(session);
    const audio = objectOf(session.audio);
    const input = formatOf(session.input_audio_format ?? objectOf(audio.input).format);
    const output = formatOf(session.output_audio_format ?? objectOf(audio.output).format);
    if (input !== undefined) this.inputFormat = input;
    if (output !== undefined) this.outputFormat = output;
  }

  private readItem(item: JsonObject, piece: Piece): void {
    for (const part of arrayOf(item.content)) {
      const { text, transcript, audio } = objectOf(part);
      piece.add(textOf(text) || textOf(transcript));
      piece.seconds += secondsOf(textOf(audio), this.inputFormat);
    }
    piece.add(textOf(item.output));
    piece.add(textOf(item.arguments));
  }
}

/** A name, or an object with one. */
const formatOf = (format: Json | undefined): string | undefined =>
  textOf(format) || textOf(objectOf(format).type) || undefined;
