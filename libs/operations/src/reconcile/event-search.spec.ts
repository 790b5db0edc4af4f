import { describe, expect, it } from '@jest/globals';
import { v4, v7 } from 'uuid';
import { eventsAbout, type FoundEvent, type Span, spansAround, spanSearch } from './event-search.js';

const AT = Date.parse('2026-11-23T02:03:04.567Z');
const MINUTE = 60_000;
const id = v7({ msecs: AT });
const event: FoundEvent = { topic: 't', partition: 1, record_offset: '7', key: '2', value: `{"id":"${id}"}` };

describe('where events about an id are looked for', () => {
  it('is around its own time and around times in rows about it, each span once', () => {
    const near = { from: AT - 5 * MINUTE, to: AT + 5 * MINUTE };
    expect(spansAround(id, [])).toEqual([near]);
    expect(spansAround(id, [AT + MINUTE])).toEqual([{ ...near, to: AT + 6 * MINUTE }]);
    const later = AT + 60 * MINUTE;
    expect(spansAround(id, [later, AT])).toEqual([near, { from: later - 5 * MINUTE, to: later + 5 * MINUTE }]);
  });

  it('is the whole log for an id without a time', () => {
    expect(spansAround(v4(), [AT])).toEqual([{ from: 0, to: Infinity }]);
  });
});

describe('eventsAbout', () => {
  const looks = async (answers: FoundEvent[][]): Promise<[FoundEvent[], Span[]]> => {
    const asked: Span[] = [];
    const found = await eventsAbout(id, [], (span) => {
      asked.push(span);
      return Promise.resolve(answers.shift() ?? []);
    });
    return [found, asked];
  };

  it('reads only the nearest spans if the event is found there', async () => {
    expect(await looks([[event]])).toEqual([[event], [{ from: AT - 5 * MINUTE, to: AT + 5 * MINUTE }]]);
  });

  it('finds an event that arrived hours late', async () => {
    const [found, asked] = await looks([[], [event]]);
    expect(found).toEqual([event]);
    expect(asked.at(-1)).toEqual({ from: AT - 5 * MINUTE, to: Infinity });
  });

  it('returns the records of a span that name the id, in order', async () => {
    const record = (partition: number, value: string) => ({ partition, offset: 7n, key: '2', value, appendedAt: AT });
    const search = spanSearch(async (_span, handle) => {
      await handle('t', [record(3, event.value), record(3, '{}')]);
      await handle('t', [record(1, event.value)]);
    }, id);
    expect(await search({ from: 0, to: 1 })).toEqual([event, { ...event, partition: 3 }]);
  });
});
