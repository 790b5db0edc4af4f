import type { EventPart } from './event-part.js';

/**
 * Tells what an event adds to the text of a streamed answer. Some servers (MiniMax) repeat in the last event the whole message that the
 * deltas said; it counts only for a choice that has said nothing yet.
 */
export class NewText {
  private readonly said = new Set<number>();

  hasSaid(choice: number): boolean {
    return this.said.has(choice);
  }

  of({ text, choices = [] }: EventPart): string {
    const fresh = choices.filter(({ index, isWhole }) => !isWhole || !this.said.has(index));
    for (const choice of choices) if (choice.text && !choice.isWhole) this.said.add(choice.index);
    return fresh.length === choices.length ? text : fresh.map((choice) => choice.text).join('');
  }
}
