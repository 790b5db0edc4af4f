import { randomUUID } from 'node:crypto';
import type { WebSocket } from 'ws';

export interface RealtimeBehaviour {
  /** Usage reported for every answer; undefined to report none. */
  usage: Record<string, unknown> | undefined;
  /** Words of an answer, one delta each. */
  words: number;
  /** Milliseconds of audio (pcm16 at 24 kHz) in addition to the words. */
  soundMs: number;
  /** Pause between two deltas in milliseconds. */
  paceMs: number;
  /** Number of the delta after which the connection is cut; −1 means never, here and in the next setting. */
  cutAfter: number;
  /** Number of the delta after which the session is closed with this code. */
  closeAfter: number;
  closeCode: number;
  closeReason: string;
}

/** Input: 20 text and 30 audio tokens, of which 5 and 10 were cached. Output: 7 text and 40 audio tokens. */
const REALTIME_USAGE = {
  total_tokens: 97,
  input_tokens: 50,
  output_tokens: 47,
  input_token_details: {
    text_tokens: 20,
    audio_tokens: 30,
    cached_tokens: 15,
    cached_tokens_details: { text_tokens: 5, audio_tokens: 10 },
  },
  output_token_details: { text_tokens: 7, audio_tokens: 40 },
};

export const defaultRealtime: RealtimeBehaviour = {
  ...{ usage: REALTIME_USAGE, words: 3, soundMs: 120, paceMs: 0 },
  ...{ cutAfter: -1, closeAfter: -1, closeCode: 1000, closeReason: '' },
};

interface Event {
  type?: string;
  session?: object;
  item?: object;
}

const BYTES_PER_MS = 48;
const SESSION = { object: 'realtime.session', input_audio_format: 'pcm16', output_audio_format: 'pcm16' };

/** A realtime session with OpenAI's events: it answers every `response.create` and acknowledges other events. */
export class Conversation {
  private answers = 0;

  constructor(
    private readonly socket: WebSocket,
    private readonly model: string,
    private readonly behaviour: () => RealtimeBehaviour,
  ) {}

  begin(): void {
    this.send('session.created', { session: { id: `sess_${randomUUID()}`, model: this.model, ...SESSION } });
  }

  async hear(text: string): Promise<void> {
    const event = parse(text);
    if (!event)
      return this.send('error', { error: { type: 'invalid_request_error', message: 'not JSON', code: null } });
    if (event.type === 'session.update')
      return this.send('session.updated', { session: { model: this.model, ...SESSION, ...event.session } });
    if (event.type === 'conversation.item.create') return this.send('conversation.item.created', { item: event.item });
    if (event.type === 'input_audio_buffer.commit')
      return this.send('input_audio_buffer.committed', { item_id: `item_${randomUUID()}` });
    if (event.type === 'response.create') return this.answer();
    if (event.type !== 'input_audio_buffer.append')
      this.send('error', {
        error: { type: 'invalid_request_error', message: `unknown event ${event.type}`, code: null },
      });
  }

  private async answer(): Promise<void> {
    const { words, soundMs, paceMs, usage } = this.behaviour();
    this.answers += 1;
    const id = `resp_${this.answers}_${randomUUID()}`;
    this.send('response.created', { response: { id, status: 'in_progress' } });
    const sound = Buffer.alloc((soundMs * BYTES_PER_MS) / Math.max(words, 1)).toString('base64');
    for (let word = 0; word < words; word += 1) {
      if (this.fails(word)) return;
      this.send('response.audio_transcript.delta', { response_id: id, delta: `word${word} ` });
      if (soundMs > 0) this.send('response.audio.delta', { response_id: id, delta: sound });
      if (paceMs > 0) await new Promise((resolve) => setTimeout(resolve, paceMs));
      if (this.socket.readyState !== this.socket.OPEN) return;
    }
    this.send('response.done', { response: { id, status: 'completed', output: [], ...(usage && { usage }) } });
  }

  private fails(word: number): boolean {
    const { cutAfter, closeAfter, closeCode, closeReason } = this.behaviour();
    if (word === cutAfter) this.socket.terminate();
    else if (word === closeAfter) this.socket.close(closeCode, closeReason);
    else return false;
    return true;
  }

  private send(type: string, members: object): void {
    if (this.socket.readyState === this.socket.OPEN)
      this.socket.send(JSON.stringify({ type, event_id: `event_${randomUUID()}`, ...members }));
  }
}

function parse(text: string): Event | undefined {
  try {
    return JSON.parse(text) as Event;
  } catch {
    return undefined;
  }
}
