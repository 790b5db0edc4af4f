import type { ReadRecord } from '@tollgate/chassis';

/** Limit on the characters kept in memory; records beyond it are read from the table. */
const MAX_CHARACTERS = 4 * 1024 * 1024;
const MAX_RECORDS = 5_000;

/**
 * Committed records of one partition that a reader has not taken yet: contiguous and in order, but possibly incomplete. All records are in
 * the table too, so any may be dropped here.
 */
export class FreshRecords {
  private records: ReadRecord[] = [];
  private characters = 0;

  constructor(private readonly maxCharacters = MAX_CHARACTERS) {}

  /** Adds contiguous records. Ignores them if they do not follow those kept, or if too many are kept. */
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

  /** Removes and returns at most `count` records from the position on; none if the record at the position is not kept. */
  take(position: bigint, count: number): ReadRecord[] {
    this.drop(this.records.findIndex(({ offset }) => offset >= position));
    if (this.records[0]?.offset !== position) return [];
    return this.drop(Math.min(count, this.records.length));
  }

  /** Removes the first `count` records; all for −1. */
  private drop(count: number): ReadRecord[] {
    const dropped = this.records.splice(0, count === -1 ? this.records.length : count);
    this.characters -= charactersOf(dropped);
    return dropped;
  }
}

const charactersOf = (records: readonly ReadRecord[]): number =>
  records.reduce((sum, { key, value }) => sum + key.length + value.length, 0);
