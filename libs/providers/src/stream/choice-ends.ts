/** What one event says of one choice of the answer. */
export interface ChoicePart {
  index: number;
  /** The event states how this choice ended. */
  isLast: boolean;
  /** What it adds to the text of the event, in dialects whose events may repeat a whole message. */
  text?: string;
  /** The text is a whole message instead of a piece of one. */
  isWhole?: boolean;
}

/** What one event says of the end of the answer. */
export interface EndPart {
  /** The event states how the reply, or a choice of it, ended. */
  isLast?: boolean;
  /** The choices that the event is about, in dialects that have several. */
  choices?: ChoicePart[];
}

/** Which choices of a streamed answer began and which ended: with several, the first end is not the end of the answer. */
export class ChoiceEnds {
  private readonly endOf = new Map<number, boolean>();
  private open = 0;
  private hasEnd = false;

  /** Adds an event. Dialects that have one choice only do not name it. */
  add({ choices, isLast = false }: EndPart): void {
    if (!choices || choices.length === 0) this.hasEnd ||= isLast;
    else for (const choice of choices) this.addChoice(choice);
  }

  /** Whether the answer ended: something did, and nothing that began is still open. */
  get areAll(): boolean {
    return this.hasEnd && this.open === 0;
  }

  /** A choice that ended stays so, whatever follows. */
  private addChoice({ index, isLast }: ChoicePart): void {
    const before = this.endOf.get(index);
    if (before === true || before === isLast) return;
    this.endOf.set(index, isLast);
    this.hasEnd ||= isLast;
    if (!isLast) this.open += 1;
    else if (before === false) this.open -= 1;
  }
}
