import { loadavg } from 'node:os';
import { type Booking, measureBooking } from './booking.js';
import { measureShownBalance, type ShownBalance } from './balance.js';
import { type DialectRow, measureDialects } from './dialects.js';
import { residentMegabytes, whileStopped } from './cpu.js';
import { type KeptHeap, measureKeptHeap } from './heap.js';
import type { Outcome } from './load.js';
import { type GrowthRow, measureGrowth } from './growth.js';
import { type LogList, measureLogList } from './log-list.js';
import { machine } from './machine.js';
import { median, quantiles } from './median.js';
import { type Kind, kinds } from './payload.js';
import type { LoadProgram } from './programs.js';
import type { Stage, Target } from './stage.js';
import { measureSealing, type SealingCost } from './sealing.js';
import { measureSystem, type SystemCost } from './system.js';
import { keepStreamsOpen, type OpenStreams } from './streams.js';

const CONNECTIONS: Record<Kind, number> = { json: 32, sse: 32, burst: 32 };
const WARM_SECONDS = 1;
/** The first ten thousands of requests run code that V8 has not optimised yet, and pay for its compilation. */
const FIRST_WARM_SECONDS = 20;

/** Longer measurements would cost the other processes that stand still meanwhile their places in the cluster. */
const MOST_STOPPED_SECONDS = 5;

/**
 * Rounds at half load. A relay on one core collects garbage once in several rounds, and the p99 of a single round of
 * streams is the fourth slowest of some four hundred: it would only say whether a collection happened in it.
 */
const PACE_ROUNDS = 6;

/** Duration of the parts that watch something grow or settle. */
const WATCH_SECONDS = 30;

/** Names for `--only`: the three kinds of requests, and what is measured besides them. */
export const parts = [
  ...kinds,
  ...(['dialects', 'system', 'booking', 'balance', 'streams', 'heap', 'log', 'growth', 'sealing'] as const),
] as const;
type Part = (typeof parts)[number];

interface MeasureOptions {
  seconds: number;
  repeats: number;
  /** Number of rows of the long log. */
  logRows: number;
  parts: readonly Part[];
  say(line: string): void;
}

/** Medians over the repeats for one target and path. */
export interface Row {
  target: string;
  kind: Kind;
  perCpuSecond: number;
  microseconds: number;
  perSecond: number;
  /** Share of one core that the measured process used meanwhile. */
  busy: number;
  latency: [number, number];
  readsPerReply: number;
  /**
   * Requests per CPU second relative to the baseline of the same round: the median, and the lowest and the highest
   * round.
   */
  ratio: number;
  ratios: [number, number];
}

/** Latency of one target at a fixed request rate, over all requests of all rounds. */
export interface Pace {
  target: string;
  kind: Kind;
  rate: number;
  latency: [number, number];
  firstToken: [number, number];
}

export interface Measured {
  machine: string;
  isPinned: boolean;
  repeats: number;
  seconds: number;
  /** One-minute load average before and after the run. */
  load: [number, number];
  rows: Row[];
  paces: Pace[];
  megabytes: number;
  dialects?: DialectRow[];
  system?: SystemCost;
  streams?: OpenStreams;
  heap?: KeptHeap[];
  booking?: Booking;
  sealing?: SealingCost[];
  balance?: ShownBalance;
  logList?: LogList;
  growth?: GrowthRow[];
}

const perCpuSecond = ({ requests, cpuSeconds }: Outcome): number => requests / cpuSeconds;

function rowOf(target: Target, kind: Kind, outcomes: readonly Outcome[], baseline: readonly Outcome[]): Row {
  const of = (value: (outcome: Outcome) => number): number => median(outcomes.map(value));
  const ratios = outcomes.map((outcome, round) => perCpuSecond(outcome) / perCpuSecond(baseline[round] as Outcome));
  return {
    target: target.name,
    kind,
    perCpuSecond: of(perCpuSecond),
    microseconds: 1e6 / of(perCpuSecond),
    perSecond: of(({ requests, seconds }) => requests / seconds),
    busy: of(({ cpuSeconds, seconds }) => cpuSeconds / seconds),
    latency: [of(({ latency }) => latency[0]), of(({ latency }) => latency[1])],
    readsPerReply: of(({ readsPerReply }) => readsPerReply),
    ratio: median(ratios),
    ratios: [Math.min(...ratios), Math.max(...ratios)],
  };
}

export async function measure(stage: Stage, load: LoadProgram, options: MeasureOptions): Promise<Measured> {
  const loadBefore = loadavg()[0] ?? 0;
  const rows: Row[] = [];
  const paces: Pace[] = [];
  for (const kind of kinds.filter((one) => options.parts.includes(one))) {
    const found = await compare(stage, load, kind, options);
    rows.push(...found);
    const mostPerSecond = found.find(({ target }) => target === stage.relay.name)?.perSecond ?? 0;
    const half = { kind, rate: mostPerSecond / 2, seconds: options.seconds };
    paces.push(...(await atHalfLoad(stage, load, half, options)));
  }
  return {
    ...(await measureRest(stage, load, options)),
    machine: machine(),
    isPinned: stage.isPinned,
    repeats: options.repeats,
    seconds: options.seconds,
    load: [loadBefore, loadavg()[0] ?? 0],
    rows,
    paces,
    megabytes: residentMegabytes(stage.relay.pid),
  };
}

/** Each round measures every target once, so that a disturbance of the machine affects all of them. */
async function compare(stage: Stage, load: LoadProgram, kind: Kind, options: MeasureOptions): Promise<Row[]> {
  const targets = [stage.bare, stage.relay, stage.unbilled, stage.embedded];
  const outcomes = new Map<Target, Outcome[]>(targets.map((target) => [target, []]));
  for (let round = 0; round < options.repeats; round += 1) {
    for (const target of targets) {
      const { port, key, pid } = target;
      const warmSeconds = round === 0 ? FIRST_WARM_SECONDS : WARM_SECONDS;
      const order = { port, key, pid, kind, connections: CONNECTIONS[kind], warmSeconds, seconds: options.seconds };
      const outcome = requireClean(target, await load.run(order));
      outcomes.get(target)?.push(outcome);
      const cost = (1e6 / perCpuSecond(outcome)).toFixed(0);
      options.say(`${kind} ${round + 1}/${options.repeats} ${target.name}: ${cost} µs of CPU a request`);
    }
  }
  const baseline = outcomes.get(stage.bare) ?? [];
  return targets.map((target) => rowOf(target, kind, outcomes.get(target) ?? [], baseline));
}

/** Results of the parts that are measured once, besides the comparison of the targets. */
type Rest = Pick<
  Measured,
  'dialects' | 'system' | 'streams' | 'heap' | 'booking' | 'balance' | 'logList' | 'growth' | 'sealing'
>;

async function measureRest(stage: Stage, load: LoadProgram, options: MeasureOptions): Promise<Rest> {
  const { parts: wanted, logRows, say } = options;
  const rest: Rest = {};

  const steps = {
    dialects: async () => (rest.dialects = await measureDialects(stage, load, options)),
    system: async () => (rest.system = await measureSystem(stage, load)),
    booking: async () => (rest.booking = await measureBooking(stage, load)),
    balance: async () => (rest.balance = await measureShownBalance(stage, load, WATCH_SECONDS)),
    streams: async () => (rest.streams = await keepStreamsOpen(stage, 2 * WATCH_SECONDS)),
    heap: async () => (rest.heap = await measureKeptHeap(stage, load)),
    log: async () => (rest.logList = await measureLogList(stage, logRows, say)),
    growth: async () => (rest.growth = await measureGrowth(stage, load, say)),
    // Must be the last part: it leaves the sums of statements in this database wrong.
    sealing: async () => (rest.sealing = await measureSealing(stage, load, say)),
  };
  for (const [part, step] of Object.entries(steps)) {
    if (!wanted.includes(part as Part)) continue;
    say(`waiting until everything is booked, then ${part}`);
    await stage.settled();
    await step();
  }
  return rest;
}

async function atHalfLoad(
  stage: Stage,
  load: LoadProgram,
  { kind, rate, seconds }: { kind: Kind; rate: number; seconds: number },
  { say }: MeasureOptions,
): Promise<Pace[]> {
  const targets = [stage.upstream, stage.bare, stage.relay];
  const measured = seconds <= MOST_STOPPED_SECONDS ? [stage.bare, stage.relay, stage.unbilled, stage.embedded] : [];
  const rounds = new Map<Target, Outcome[]>(targets.map((target) => [target, []]));
  for (let round = 0; round < PACE_ROUNDS; round += 1) {
    for (const target of targets) {
      say(`waiting until everything is booked, then half load ${round + 1}/${PACE_ROUNDS}: ${kind} ${target.name}`);
      await stage.settled();
      const { port, key } = target;
      const order = { port, key, kind, rate, connections: 128, warmSeconds: WARM_SECONDS, seconds };
      const others = measured.filter((other) => other !== target);
      const outcome = await whileStopped(
        others.map((other) => other.pid),
        () => load.run(order),
      );
      rounds.get(target)?.push(requireClean(target, outcome));
    }
  }
  return targets.map((target) => {
    const times = (rounds.get(target) ?? []).flatMap((outcome) => outcome.times ?? []);
    return {
      target: target.name,
      kind,
      rate,
      latency: quantiles(times.flatMap(({ latencies }) => latencies)),
      firstToken: quantiles(times.flatMap(({ firstTokens }) => firstTokens)),
    };
  });
}

/** Error replies cost far less than answers, so figures that include any are worthless. */
function requireClean({ name }: Target, outcome: Outcome): Outcome {
  if (outcome.failures === 0 && outcome.requests > 0) return outcome;
  throw new Error(`${name}: ${outcome.failures} failures, the first one: ${outcome.failure}`);
}
