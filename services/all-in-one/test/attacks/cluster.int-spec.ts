import { afterAll } from '@jest/globals';
import { describeAccessAttacks } from './access.js';
import { type Arena, distributed, openArena } from './arena.js';
import { describeEndlessTexts } from './endless-texts.js';
import { describeReplyAttacks } from './memory.js';
import { describeHoldAttacks } from './money-holds.js';
import { describeLeavingAttacks } from './money-leaving.js';
import { describeStrangeReplies } from './strange-replies.js';

/** One cluster for all: to start ten processes and three servers is most of the work. */
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
