import type { Load } from './fault-load.js';
import { early, type FaultRow, unless } from './fault-row.js';
import type { FaultStage } from './fault-stage.js';
import { KINDS, nothingSeen, observe, type Seen, WORDS } from '../support/witness.js';

const CALLS = 40;
const AT_ONCE = 4;
/** More calls than both relays need to learn the cost of such a call. */
const TRIAL_CALLS = 8;
const REFUSED = 403;

/**
 * Uses up a token that is worth a certain number of calls while nothing can be booked. What one relay has spent then
 * still counts as lent to it; the other relay must neither wait for it nor refuse what is left.
 */
async function spendWhileNothingIsBooked(stage: FaultStage, load: Load): Promise<string[]> {
  const quota = CALLS * KINDS.chat.priceOf(WORDS);
  const key = await stage.site.token(stage.user, { name: 'scarce', unlimited_quota: false, remain_quota: quota });
  const calls: Seen[] = [];
  const call = async (): Promise<Seen> => {
    const seen = nothingSeen({ kind: 'chat', mark: load.nextMark(), latencyMs: 20, wordsPerSecond: 0 });
    calls.push(seen);
    await observe(seen, { url: stage.cluster.url, key, onChange: () => undefined });
    return seen;
  };
  for (let index = 0; index < TRIAL_CALLS; index += 1) await call();
  await stage.kafka.stop();
  const spend = async (): Promise<void> => {
    while ((await call()).isWhole);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, spend));
  await stage.kafka.start();
  const served = calls.filter(({ isWhole }) => isWhole);
  const odd = calls.filter(({ isWhole, status }) => !isWhole && status !== REFUSED);
  load.seen.unshift(...served);
  return [
    ...unless(served.length === CALLS, `${served.length} of the ${CALLS} calls that the token can pay were served`),
    ...odd.map(({ failure }) => `a call of the scarce token failed: ${failure}`),
  ];
}

export const lastCallRows: readonly FaultRow[] = [
  {
    name: 'a token used up while Kafka is away',
    seconds: 12,
    mayFail: false,
    when: early,
    inject: spendWhileNothingIsBooked,
  },
];
