import { afterAll } from '@jest/globals';
import { describeAccessAttacks } from './access.js';
import { type Arena, distributed, openArena } from './arena.js';
import { describeEndlessTexts } from './endless-texts.js';
import { describeIncomingAttacks, describeReplyAttacks } from './memory.js';
import { describeHoldAttacks } from './money-holds.js';
import { describeLeavingAttacks } from './money-leaving.js';
import { describeUsageAttacks } from './money-usage.js';
import { describeStrangeReplies } from './strange-replies.js';

/** One cluster for all tests, because starting eleven processes and three servers takes most of the time. */
let opened: Promise<Arena> | undefined;
const shared = async (): Promise<Arena> => {
  const arena = await (opened ??= openArena(distributed));
  return { ...arena, close: () => Promise.resolve() };
};
afterAll(async () => {
  await (await opened)?.close();
}, 120_000);

const WHERE = 'in a cluster of processes';
describeAccessAttacks(WHERE, shared);
describeEndlessTexts(WHERE, shared);
describeHoldAttacks(WHERE, shared);
describeLeavingAttacks(WHERE, shared);
describeReplyAttacks(WHERE, shared);
describeStrangeReplies(WHERE, shared);
// These take more than a minute and show little that a single process does not show, so they run before releases only,
// see CONTRIBUTING.
if (process.env.TOLLGATE_ATTACKS === 'all') {
  describeIncomingAttacks(WHERE, shared);
  describeUsageAttacks(WHERE, shared);
}
