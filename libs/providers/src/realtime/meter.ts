import { completionTokensOf, type Usage, wholePromptOf } from '@tollgate/contracts';
import type { Json, JsonObject } from '../adapter.js';
import { arrayOf, objectOf, parseObject, textOf } from '../json/json.js';
import { heardTokens, secondsOf, spokenTokens } from './sound.js';
import { areCounts } from '../usage.js';
import { soundUsage, Transcripts } from './transcripts.js';
import { realtimeUsage } from './usage.js';

/** Text kept for counting; of text beyond this only the number of bytes is kept. */
const KEPT_CHARACTERS = 256 * 1024;
/**
 * Tokens that a prompt may contain without having been sent in the session: a stored prompt, the provider's own instructions, reasoning.
 */
const HIDDEN_TOKENS = 32_768;
const TOOL_TOKENS = 8;
/** Ids of ended answers that are remembered. */
const MOST_ENDED = 1000;

/** Text and audio of one direction: what was sent since the last answer, or the contents of one answer. */
class Piece {
  text = '';
  droppedBytes = 0;
  seconds = 0;

  add(text: string): void {
    const room = KEPT_CHARACTERS - this.text.length;
    this.text += text.slice(0, room);
    if (text.length > room) this.droppedBytes += Buffer.byteLength(text.slice(room));
  }

  /** Appends another piece. */
  join({ text, droppedBytes, seconds }: Piece): this {
    this.add(text);
    this.droppedBytes += droppedBytes;
    this.seconds += seconds;
    return this;
  }

  get isEmpty(): boolean {
    return this.text === '' && this.droppedBytes === 0 && this.seconds === 0;
  }

  /** An estimate of the tokens, rarely too low: few texts have more than a token for three bytes. */
  get roughTokens(): number {
    return Math.ceil((Buffer.byteLength(this.text) + this.droppedBytes) / 3);
  }
}

/** Token counts by modality, because prices differ. */
interface SpokenTokens {
  text: number;
  audio: number;
}

/** What an event means for charging. */
export type RealtimeEvent =
  /** The client requests an answer, or the upstream begins one. */
  | { kind: 'asked' | 'begun' }
  /** A part of an answer. */
  | { kind: 'spoken' }
  | { kind: 'done'; id: string; usage: Usage | undefined; isPlausible: boolean; isAside: boolean }
  /** A transcription is about to begin, or begins. */
  | { kind: 'listening' }
  /** A transcription has ended. */
  | { kind: 'transcribed'; usage: Usage | undefined; isPlausible: boolean }
  | { kind: 'other' };

const OTHER: RealtimeEvent = { kind: 'other' };

/** Event types of the beta API and their later names. */
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
 * Meters a session by its events, which it does not change: usage as the upstream states it for each answer, and our own count when none is
 * stated. Events that cannot be parsed are ignored.
 */
export class RealtimeMeter {
  private input = new Piece();
  /** Input of out-of-band answers, which later answers do not read. */
  private outOfBandInput = new Piece();
  /** Contents by answer id; answers can overlap. */
  private readonly spoken = new Map<string, Piece>();
  private readonly transcripts = new Transcripts();
  /** Ids of answers in progress. */
  private readonly open = new Set<string>();
  /** Ids of ended answers, because an upstream may repeat the end of one. */
  private readonly ended = new Set<string>();
  /** Number of answers that the client has requested and that have not begun. */
  private awaited = 0;
  /** Known size of the conversation, which the next answer reads as its prompt. */
  private context: SpokenTokens = { text: 0, audio: 0 };
  private bytesSoFar = 0;
  private bytesReceived = 0;
  private answers = 0;
  private tools: string[] = [];
  private inputFormat: string | undefined;
  private outputFormat: string | undefined;

  /** Whether an answer is in progress. */
  get isAnswering(): boolean {
    return this.open.size > 0;
  }

  /** Number of answers requested or in progress. There can be several if they are out-of-band. */
  get underWay(): number {
    return this.open.size + this.awaited;
  }

  /** Meters a frame from the client. */
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
        this.readItem(objectOf(event.item), this.input);
        return OTHER;
      case 'response.create': {
        const response = objectOf(event.response);
        const piece = response.conversation === 'none' ? this.outOfBandInput : this.input;
        piece.add(textOf(response.instructions));
        for (const item of arrayOf(response.input)) this.readItem(objectOf(item), piece);
        this.awaited += 1;
        return { kind: 'asked' };
      }
      default:
        return OTHER;
    }
  }

  /** Meters a frame from the upstream. */
  received(frame: Buffer): RealtimeEvent {
    this.bytesSoFar += frame.length;
    this.bytesReceived += frame.length;
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
    return this.receivedState(type, event);
  }

  private receivedState(type: string, event: JsonObject): RealtimeEvent {
    const response = objectOf(event.response);
    // The requested answer has begun or was refused.
    if (type === 'response.created' || type === 'error') this.awaited = Math.max(0, this.awaited - 1);
    if (type === 'response.created') {
      this.open.add(textOf(response.id));
      return { kind: 'begun' };
    }
    if (type === 'response.done') {
      const id = this.idOf(response.id);
      if (!this.open.delete(id) && this.ended.has(id)) return OTHER;
      if (this.ended.size >= MOST_ENDED) this.ended.clear();
      if (id !== '') this.ended.add(id);
      const usage = realtimeUsage(response.usage);
      const isAside = response.conversation_id === null;
      return { kind: 'done', id, usage, isPlausible: usage !== undefined && this.isPlausible(usage), isAside };
    }
    if (SESSION_STATES.has(type)) this.readFormats(objectOf(event.session));
    return this.receivedTranscript(type, event);
  }

  private receivedTranscript(type: string, event: JsonObject): RealtimeEvent {
    const { hasBegun, usage } = this.transcripts.received(type, event);
    if (hasBegun) return { kind: 'listening' };
    if (usage === undefined) return OTHER;
    const isPlausible = this.isPlausible(usage);
    if (isPlausible) this.transcripts.settled(event);
    return { kind: 'transcribed', usage, isPlausible };
  }

  private append(seconds: number): void {
    this.input.seconds += seconds;
    this.transcripts.append(seconds);
  }

  /** Our own count of the transcribed audio that was not charged yet, neither by its transcription nor by an answer that heard it. */
  unchargedSound(): Usage | undefined {
    const { seconds } = this.transcripts;
    return seconds > 0 ? soundUsage(seconds) : undefined;
  }

  /** Transcribed audio that a commit of the client would add. */
  soundToCome(): Usage {
    return soundUsage(this.transcripts.waiting);
  }

  /** An event without an answer id refers to the answer that began last. */
  private idOf(stated: Json | undefined): string {
    return textOf(stated) || ([...this.open].at(-1) ?? '');
  }

  private spokenIn(event: JsonObject): Piece {
    const id = this.idOf(event.response_id);
    const piece = this.spoken.get(id) ?? new Piece();
    this.spoken.set(id, piece);
    return piece;
  }

  /** Contents of this answer, or without an id of all unsettled answers. */
  private outputOf(id: string | undefined): Piece {
    const pieces = [...this.spoken.values()];
    if (id !== undefined || pieces.length < 2)
      return (id === undefined ? pieces[0] : this.spoken.get(id)) ?? new Piece();
    return pieces.reduce((all, piece) => all.join(piece), new Piece());
  }

  /** Input since the last answer ended and contents of this answer (or of all unsettled ones), for an exact token count. */
  texts(id?: string): { input: string; spoken: string } {
    return { input: this.input.text + this.outOfBandInput.text, spoken: this.outputOf(id).text };
  }

  /** Whether anything was received of this answer, or of any unsettled one. */
  hasSpoken(id?: string): boolean {
    return !this.outputOf(id).isEmpty;
  }

  /** Our own count for this answer or all unsettled ones: input since the previous answer, and, from the second answer on, the tools. */
  estimate(tokens: { input: number; spoken: number; tools: number }, id?: string): Usage {
    const output = this.outputOf(id);
    const input = this.allInput();
    const tools = this.answers > 0 ? TOOL_TOKENS * this.tools.length + tokens.tools : 0;
    return {
      semantics: 'openai',
      inputTokens: tokens.input + Math.ceil(input.droppedBytes / 3) + tools,
      cacheReadTokens: 0,
      cacheWriteTokens: 0,
      outputTokens: tokens.spoken + Math.ceil(output.droppedBytes / 3),
      audioInputTokens: Math.round(heardTokens(input.seconds)),
      audioOutputTokens: Math.round(spokenTokens(output.seconds)),
    };
  }

  toolTexts(): string {
    return this.tools.join('\n');
  }

  /** The same estimate at little cost, from byte counts. */
  estimateRoughly(): Usage {
    return this.estimate({
      input: this.allInput().roughTokens,
      spoken: this.outputOf(undefined).roughTokens,
      tools: Math.ceil(Buffer.byteLength(this.toolTexts()) / 3),
    });
  }

  /** The prompt of an answer that would begin now, as far as the conversation is known. */
  nextPrompt(): SpokenTokens {
    const input = this.inputTokens();
    return { text: this.context.text + input.text, audio: this.context.audio + input.audio };
  }

  /** Prompts of the answers in progress beyond input that is counted once: the conversation for each, and the new input for all but one. */
  promptsBeside(): SpokenTokens {
    const answers = Math.max(1, this.underWay);
    const { text, audio } = this.nextPrompt();
    const input = this.inputTokens();
    return { text: answers * text - input.text, audio: answers * audio - input.audio };
  }

  /**
   * Usage for the conversation as read by answers that were aborted. The provider has it in its prompt cache, so it is charged as cached
   * tokens.
   */
  readAgain(): Usage | undefined {
    const answers = [...this.spoken.keys()].filter((id) => this.open.has(id)).length;
    const tokens = answers * (this.context.text + this.context.audio);
    return tokens > 0
      ? { semantics: 'openai', inputTokens: 0, cacheReadTokens: tokens, cacheWriteTokens: 0, outputTokens: 0 }
      : undefined;
  }

  private allInput(): Piece {
    return this.outOfBandInput.isEmpty ? this.input : new Piece().join(this.input).join(this.outOfBandInput);
  }

  private inputTokens(): SpokenTokens {
    const input = this.allInput();
    return { text: input.roughTokens, audio: Math.ceil(heardTokens(input.seconds)) };
  }

  /**
   * Records the usage of this answer, or of all aborted ones: the next answer reads as its prompt all that they read and produced. This
   * does not apply to out-of-band answers (`isAside`).
   */
  settled(usage: Usage, { isStated, isAside = false }: { isStated: boolean; isAside?: boolean }, id?: string): void {
    if (!isAside) this.goOn(usage, isStated);
    this.answers += 1;
    if ((usage.audioInputTokens ?? 0) + usage.cacheReadTokens > 0) this.transcripts.answered();
    this.outOfBandInput = new Piece();
    this.bytesReceived = 0;
    if (id === undefined) this.spoken.clear();
    else this.spoken.delete(id);
  }

  private goOn(usage: Usage, isStated: boolean): void {
    const text = usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens + usage.outputTokens;
    const audio = (usage.audioInputTokens ?? 0) + (usage.audioOutputTokens ?? 0);
    const before = isStated ? { text: 0, audio: 0 } : this.context;
    this.context = { text: before.text + text, audio: before.audio + audio };
    this.input = new Piece();
  }

  /**
   * Whether a usage is plausible. A text has no more tokens than bytes, so the prompt is bounded by all bytes transferred, the answer by
   * those received.
   */
  private isPlausible(usage: Usage): boolean {
    return (
      areCounts(usage) &&
      wholePromptOf(usage) <= this.bytesSoFar + HIDDEN_TOKENS &&
      completionTokensOf(usage) <= this.bytesReceived + HIDDEN_TOKENS
    );
  }

  private readSession(session: JsonObject): void {
    this.input.add(textOf(session.instructions));
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

/** The format may be a string or an object with a type. */
const formatOf = (format: Json | undefined): string | undefined =>
  textOf(format) || textOf(objectOf(format).type) || undefined;
