import type { ReplyText } from './reply-text.js';

/** Limits the bytes that a process keeps of the answers of all running streams together. */
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

/** One stream's share of the room. When the room is used up, its text is replaced by a character count, which suffices for an estimate. */
export class KeptText {
  private held = 0;

  constructor(private readonly room = new TextRoom(Infinity)) {}

  /** The text, or only its count if there is no room. */
  fit(content: ReplyText): ReplyText {
    if (this.grow(content.text.length * BYTES_PER_CHARACTER - this.held)) return content;
    this.dispose();
    const droppedBytes = content.droppedBytes + Buffer.byteLength(content.text);
    return { ...content, text: '', droppedBytes };
  }

  /** Reserves further bytes; returns whether there was room. */
  grow(bytes: number): boolean {
    if (bytes <= 0) return true;
    if (!this.room.take(bytes)) return false;
    this.held += bytes;
    return true;
  }

  /** Returns the reserved bytes. May be called repeatedly. */
  dispose(): void {
    this.room.giveBack(this.held);
    this.held = 0;
  }
}
