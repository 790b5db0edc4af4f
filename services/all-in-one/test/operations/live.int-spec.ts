import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { allServices } from '@tollgate/all-in-one';
import { type Person, type TestBed, startTestBed } from '@tollgate/testing';
import { LiveReader } from '../support/live-reader.js';
import { describeLiveUpdates } from '../support/live-updates.js';

const PER_PERSON = 8;

let testBed: TestBed;
beforeAll(async () => {
  testBed = await startTestBed(allServices);
}, 120_000);
afterAll(() => testBed?.close());

describeLiveUpdates('in one process', () => Promise.resolve(testBed), true);

describe('streams of live updates in one process', () => {
  let user: Person;
  beforeAll(async () => {
    user = await testBed.user('manytabs', 1000);
  });

  it('are limited per user to what a browser needs', async () => {
    const open = await Promise.all(Array.from({ length: PER_PERSON }, () => LiveReader.open(user)));
    expect(open.map(({ reply }) => reply.status)).toEqual(open.map(() => 200));
    const refused = await LiveReader.open(user);
    expect([refused.reply.status, Number(refused.reply.headers.get('retry-after'))]).toEqual([429, 30]);
    const other = await LiveReader.open(testBed.root);
    expect(other.reply.status).toBe(200);
    await Promise.all([...open, other].map((reader) => reader.close()));
    // The server notices a closed connection only some time later.
    let again = await LiveReader.open(user);
    while (again.reply.status === 429) again = await LiveReader.open(user);
    expect(again.reply.status).toBe(200);
    await again.close();
  });

  // Last, because the gateway accepts no streams afterwards.
  it('end with a retry hint when the process stops, and new streams are refused', async () => {
    const [one, two] = await Promise.all([LiveReader.open(user), LiveReader.open(testBed.root)]);
    testBed.process.services.get('gateway')?.leave();
    await Promise.all([one.ends(), two.ends()]);
    // The first hint was sent at the beginning of the stream.
    expect(one.text.match(/^retry: \d+$/gm)).toHaveLength(2);
    const refused = await LiveReader.open(user);
    expect(refused.reply.status).toBe(503);
    expect(Number(refused.reply.headers.get('retry-after'))).toBeGreaterThan(0);
  });
});
