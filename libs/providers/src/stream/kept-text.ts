import type { ReplyText } from '../adapter.js';

/** How many bytes of running answers one process keeps, of all streams together. */
export class TextRoom {
  private used = 0;

  constructor(private readonly limit: number) {}

  take(bytes: number): boolean {
    if (this.used + bytes > this.limit) return false;
    this.used += bytes;
    return true;
  }

  giveBack(bytes: number): void {
    this.used -= bytes;
  }
}

export const BYTES_PER_CHARACTER = 2;

/** One stream's share of the room. Without room for more its text becomes a count, which is enough for an estimate. */
export class KeptText {
  private held = 0;

  constructor(private readonly room = new TextRoom(Infinity)) {}

  /** The text as it may be kept. */
  fit(content: ReplyText): ReplyText {
    if (this.grow(content.text.length * BYTES_PER_CHARACTER - this.held)) return content;
    this.dispose();
    const droppedBytes = content.droppedBytes + Buffer.byteLength(content.text);
    return { ...content, text: '', droppedBytes };
  }

  /** Room for so many bytes more. */
  grow(bytes: number): boolean {
    if (bytes <= 0) return true;
    if (!this.room.take(bytes)) return false;
    this.held += bytes;
    return true;
  }

  /** Gives everything back; may be called again. */
  dispose(): void {
    this.room.giveBack(this.held);
    this.held = 0;
  }
}
