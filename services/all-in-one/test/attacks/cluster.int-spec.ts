import { afterAll } from '@jest/globals';
import { describeAccessAttacks } from './access.js';
import { type Arena, distributed, openArena } from './arena.js';
import { describeEndlessTexts } from './endless-texts.js';
import { describeIncomingAttacks, describeReplyAttacks } from './memory.js';
import { describeHoldAttacks } from './money-holds.js';
import { describeLeavingAttacks } from './money-leaving.js';
import { describeUsageAttacks } from './money-usage.js';
import { describeStrangeReplies } from './strange-replies.js';

/** One cluster for all: to start eleven processes and three servers is most of the work. */
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
// More than a minute and nothing that one process does not show as well, but for the memory of the whole: before a release, see CONTRIBUTING.
if (process.env.TOLLGATE_ATTACKS === 'all') {
  describeIncomingAttacks(WHERE, shared);
  describeUsageAttacks(WHERE, shared);
}
