import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { missingForKafka, readUntil } from '@tollgate/testing';
import { Load } from './fault-load.js';
import type { FaultRow } from './fault-row.js';
import { faultRows, isFull } from './fault-rows.js';
import { type FaultStage, openFaultStage } from './fault-stage.js';
import { type FaultOutcome, faultTable } from './fault-table.js';
import type { Seen } from '../support/witness.js';
import { type Judgement, judge, leftovers } from '../support/verdict.js';

const REQUESTS = isFull ? 200 : 60;
const SECONDS = isFull ? 8 : 3;
/** Declared: the maximum time after a single fault until clients are served again, and until everything is settled. */
const SERVING_MS = 30_000;
const SETTLED_MS = 90_000;
const ROW_MS = 600_000;
const LOOK_MS = 250;

/** The short form is skipped on machines that lack its requirements; the full form and CI fail without them. */
const missing = isFull || process.env.CI === 'true' ? undefined : await missingForKafka();
if (missing !== undefined)
  process.stderr.write(`SKIPPED: faults of the cluster, because Kafka cannot run here: ${missing}\n`);
const suite = missing === undefined ? describe : describe.skip;

const isError = ({ isWhole, hasLeft }: Seen): boolean => !isWhole && !hasLeft;

/**
 * Injects faults under load. After each: everything that a client received is booked once; all books agree with each
 * other and contain no more than the upstream served; nothing is held or spooled any more; and all this without manual
 * help. All rows use one cluster.
 */
suite('the cluster under faults', () => {
  let stage: FaultStage;
  const seen: Seen[] = [];
  const outcomes: FaultOutcome[] = [];

  beforeAll(async () => {
    stage = await openFaultStage();
  }, 240_000);
  afterAll(async () => {
    process.stdout.write(`\n${faultTable(outcomes)}\n\n`);
    for (const { fault, faults } of outcomes)
      if (faults.length > 0) process.stdout.write(`${fault}:\n${faults.map((text) => `  ${text}\n`).join('')}\n`);
    await stage?.close();
  }, 120_000);

  /** Repeats until nothing is wrong or the deadline is over; returns the last result. */
  async function settle(deadline: number): Promise<Judgement> {
    for (;;) {
      const judgement = await look();
      if (judgement.faults.length === 0 || performance.now() > deadline) return judgement;
      await pause(LOOK_MS);
    }
  }

  async function look(): Promise<Judgement> {
    try {
      const books = await stage.books();
      const judgement = judge({ seen, books, journal: stage.upstream.journal(), relayDeaths: stage.relayDeaths });
      const spooled = await stage.spooled();
      if (spooled !== 0) judgement.faults.push(`${spooled} requests still in spools`);
      // Idle leases are returned after five seconds; the short form waits for that only once.
      if (isFull) judgement.faults.push(...leftovers(books));
      return judgement;
    } catch (error) {
      return { booked: 0, doubled: 0, lost: 0, faults: [`the books cannot be read: ${(error as Error).message}`] };
    }
  }

  /** Sends short requests until several in a row succeed, so that both relays have served some. */
  async function untilServed(load: Load): Promise<void> {
    const deadline = performance.now() + SERVING_MS;
    for (let inARow = 0; inARow < 4 && performance.now() < deadline;) {
      inARow = (await load.probe()) ? inARow + 1 : 0;
      if (inARow === 0) await pause(200);
    }
  }

  async function sessionFaults({ endsSessions }: FaultRow): Promise<string[]> {
    const isSignedIn = await stage.isSignedIn();
    if (!endsSessions) return isSignedIn ? [] : ['the administrator was signed out'];
    await stage.signIn();
    return isSignedIn ? ['the session outlived its store'] : [];
  }

  async function run(row: FaultRow, number: number): Promise<FaultOutcome> {
    const { url } = stage.cluster;
    const seconds = row.seconds ?? SECONDS;
    const load = new Load({ url, key: stage.key, number, requests: row.requests ?? REQUESTS, seconds });
    const before = (await stage.books()).bookings.filter(({ amount }) => amount > 0).length;
    let struckAt = Infinity;
    const harm = load
      .until(() => row.when?.(load) ?? load.isInFullSwing())
      .then(() => {
        struckAt = performance.now();
        return row.inject(stage, load);
      });
    const [, said] = await Promise.all([load.run(), harm]);
    await untilServed(load);
    seen.push(...load.seen);
    const judgement = await settle(performance.now() + SETTLED_MS);
    const settledAt = performance.now();
    const errors = load.seen.filter(isError);
    const lastError = Math.max(struckAt, ...errors.map(({ endedAt }) => endedAt));
    const faults = [...(said ?? []), ...judgement.faults, ...(await sessionFaults(row))];
    if (errors.length > 0 && !row.mayFail)
      faults.push(...errors.map(({ kind, mark, failure }) => `${kind} ${mark} failed: ${failure}`));
    if (load.seen.at(-1)?.isWhole !== true) faults.push('clients are not served');
    return {
      fault: row.name,
      requests: load.seen.length,
      answered: load.seen.filter(({ isWhole }) => isWhole).length,
      errors: errors.length,
      left: load.seen.filter(({ hasLeft }) => hasLeft).length,
      booked: judgement.booked - before,
      doubled: judgement.doubled,
      lost: judgement.lost,
      errorsForMs: lastError - struckAt,
      settledAfterMs: settledAt - struckAt,
      faults,
    };
  }

  for (const [index, row] of faultRows.entries())
    it(
      row.name,
      async () => {
        const outcome = await run(row, index + 1);
        outcomes.push(outcome);
        if (isFull) process.stdout.write(`${faultTable([outcome])}\n`);
        expect(outcome).toMatchObject({ faults: [], doubled: 0, lost: 0 });
      },
      ROW_MS + (row.seconds ?? 0) * 1_000,
    );

  it(
    'end without open leases, spooled requests or processes that had to be killed',
    async () => {
      const rest = await readUntil(
        async () => leftovers(await stage.books()),
        (left) => left.length === 0,
        SETTLED_MS,
      );
      expect(rest).toEqual([]);
      expect(await stage.stop()).toBe(0);
      expect(stage.segments()).toEqual([]);
    },
    ROW_MS,
  );
});
