import type { ReadRecord } from '@tollgate/chassis';

/** Characters of keys and values that are kept; what comes beyond is read from the table. */
const MAX_CHARACTERS = 4 * 1024 * 1024;
const MAX_RECORDS = 5_000;

/**
 * Committed records of one partition that a reader has not taken yet: without a gap and in order, but not necessarily all of them.
 * Whatever is not here is in the table, so anything may be left out.
 */
export class FreshRecords {
  private records: ReadRecord[] = [];
  private characters = 0;

  constructor(private readonly maxCharacters = MAX_CHARACTERS) {}

  /** Records that follow each other. Left out when those between are missing, or when too much waits. */
  add(records: readonly ReadRecord[]): void {
    const [first] = records;
    const last = this.records.at(-1);
    if (!first || (last && last.offset + 1n !== first.offset)) return;
    const characters = charactersOf(records);
    const isTooMuch = this.characters + characters > this.maxCharacters;
    if (isTooMuch || this.records.length + records.length > MAX_RECORDS) return;
    this.records.push(...records);
    this.characters += characters;
  }

  /** At most `count` records from the position on, which are taken out; none when the one at the position is not here. */
  take(position: bigint, count: number): ReadRecord[] {
    this.drop(this.records.findIndex(({ offset }) => offset >= position));
    if (this.records[0]?.offset !== position) return [];
    return this.drop(Math.min(count, this.records.length));
  }

  /** Takes the first ones out; all of them for −1. */
  private drop(count: number): ReadRecord[] {
    const dropped = this.records.splice(0, count === -1 ? this.records.length : count);
    this.characters -= charactersOf(dropped);
    return dropped;
  }
}

const charactersOf = (records: readonly ReadRecord[]): number =>
  records.reduce((sum, { key, value }) => sum + key.length + value.length, 0);
