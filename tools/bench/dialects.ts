import type { LoadProgram } from './programs.js';
import { median } from './median.js';
import type { Outcome } from './load.js';
import { CHAT_PATH, IMAGE_MODEL, IMAGES_PATH, MODEL, requestBody } from './payload.js';
import type { Stage, Target } from './stage.js';

const CONNECTIONS = 32;
const WARM_SECONDS = 5;

/** The cost of one call other than a plain chat. */
export interface DialectRow {
  what: string;
  target: string;
  microseconds: number;
  perSecond: number;
  latency: [number, number];
  readsPerReply: number;
}

interface Call {
  what: string;
  path: string;
  body: string;
}

/** The prompt of the chat request as an Anthropic `messages` body. */
function message(isStream: boolean): string {
  const { messages } = JSON.parse(String(requestBody('json'))) as { messages: { role: string; content: string }[] };
  const [{ content: system = '' } = {}, ...turns] = messages;
  return JSON.stringify({ model: MODEL, max_tokens: 200, system, messages: turns, ...(isStream && { stream: true }) });
}

/** The first call is the baseline of the others. */
const calls: readonly Call[] = [
  { what: 'chat, JSON, 1 kB', path: CHAT_PATH, body: String(requestBody('json')) },
  { what: '`/v1/messages` over an OpenAI channel, JSON', path: '/v1/messages', body: message(false) },
  { what: '`/v1/messages` over an OpenAI channel, SSE, 100 chunks', path: '/v1/messages', body: message(true) },
  {
    what: '`/v1/images/generations`, one picture of 1 MB',
    path: IMAGES_PATH,
    body: JSON.stringify({ model: IMAGE_MODEL, prompt: 'a cat', response_format: 'b64_json' }),
  },
];

const rowOf = (what: string, target: Target, outcomes: readonly Outcome[]): DialectRow => {
  const of = (value: (outcome: Outcome) => number): number => median(outcomes.map(value));
  return {
    what,
    target: target.name,
    microseconds: of(({ cpuSeconds, requests }) => (1e6 * cpuSeconds) / requests),
    perSecond: of(({ requests, seconds }) => requests / seconds),
    latency: [of(({ latency }) => latency[0]), of(({ latency }) => latency[1])],
    readsPerReply: of(({ readsPerReply }) => readsPerReply),
  };
};

/** Compares calls that convert between dialects, or have large bodies, with a plain chat. Rounds are interleaved. */
export async function measureDialects(
  { relay, embedded }: Stage,
  load: LoadProgram,
  { seconds, repeats, say }: { seconds: number; repeats: number; say(line: string): void },
): Promise<DialectRow[]> {
  const cases = calls.flatMap((call) =>
    [relay, embedded].map((target) => ({ call, target, outcomes: [] as Outcome[] })),
  );
  for (let round = 0; round < repeats; round += 1) {
    for (const { call, target, outcomes } of cases) {
      const { what, path, body } = call;
      const { port, key, pid } = target;
      const kept = { port, key, pid, kind: 'json' as const, connections: CONNECTIONS };
      const outcome = await load.run({ ...kept, request: { path, body }, warmSeconds: WARM_SECONDS, seconds });
      if (outcome.requests === 0 && outcome.failures === 0)
        throw new Error(`${target.name}, ${what}: nothing was answered within ${seconds} s; ask for more seconds`);
      if (outcome.failures > 0)
        throw new Error(`${target.name}, ${what}: ${outcome.failures} failures, the first one: ${outcome.failure}`);
      outcomes.push(outcome);
      say(`${round + 1}/${repeats} ${target.name}: ${what}`);
    }
  }
  return cases.map(({ call, target, outcomes }) => rowOf(call.what, target, outcomes));
}
