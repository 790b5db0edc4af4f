import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { eventually, type FakeUpstream, type Person, setUpSite, type Site, startFakeUpstream } from '@tollgate/testing';
import { readBooks } from '../../support/books.js';
import { Load } from '../../faults/fault-load.js';
import { MODELS } from '../../support/relay-site.js';
import { type Judgement, judge } from '../../support/verdict.js';
import type { Seen } from '../../support/witness.js';
import { buildImages, podman, PRODUCT, ROOT } from '../podman.js';
import { isReady, KubeCluster, type Pod } from './cluster.js';

/** The node's address as pods see it. */
const NODE = '10.244.0.1';
const NEXT = 'localhost/tollgate:next';
const FOLDER = 'services/all-in-one/test/containers/kube';
const SERVERS = [
  'docker.io/library/postgres:18.4-bookworm',
  'docker.io/library/redis:7.4.6-bookworm',
  'docker.io/apache/kafka:4.3.1',
];
const CREDIT = 500_000_000;
const SETTLED_MS = 120_000;
const CLIENTS_PER_SECOND = 5;
/** Longer than any wait. */
const LONGEST_SECONDS = 1200;
/** Enough clients to keep two relays busy without overloading a machine with two processors. */
const CROWD = 8;
const CROWD_MODEL = 'gpt-4o-mini';

/** The chart on a cluster, set up, with an upstream on the node and one user whose books are checked. */
export class KubeStage {
  readonly seen: Seen[] = [];
  /** Times at which relays were killed. */
  readonly relayDeaths: number[] = [];
  private loads = 0;

  private constructor(
    readonly cluster: KubeCluster,
    readonly upstream: FakeUpstream,
    readonly site: Site,
    private readonly databaseUrl: string,
  ) {}

  private owner: { user: Person; key: string } | undefined;

  static async open(): Promise<KubeStage> {
    await buildImages();
    // A second release: the same code in another image, so that every pod is replaced.
    await podman(
      'build',
      '--pull=never',
      '--format',
      'docker',
      '-t',
      NEXT,
      '-f',
      join(ROOT, FOLDER, 'next.Dockerfile'),
      ROOT,
    );
    const cluster = new KubeCluster();
    await cluster.up([...SERVERS, PRODUCT, NEXT]);
    await cluster.apply(`${FOLDER}/servers.yaml`);
    await cluster.kubectl('wait', '--for=condition=Ready', 'pod', '--all', '--timeout=180s');
    await cluster.roll('install', 'tollgate', 'helm/tollgate', '-f', `${FOLDER}/values.yaml`);
    const upstream = await startFakeUpstream({ host: NODE, journalSize: 20_000 });
    const url = `http://${await cluster.addressOf('tollgate-gateway')}`;
    const log = await cluster.kubectl('logs', 'deployment/tollgate-identity', '--tail=-1');
    const site = await setUpSite(url, /set-up token: (\S+?)["\s]/.exec(log)?.[1]);
    const { password } =
      /tollgate:(?<password>\w+)@/.exec(readFileSync(join(ROOT, FOLDER, 'values.yaml'), 'utf8'))?.groups ?? {};
    const databaseUrl = `postgres://tollgate:${password}@${await cluster.addressOf('postgres')}:5432/tollgate`;
    return new KubeStage(cluster, upstream, site, databaseUrl);
  }

  /** Replaces all channels by those of this stage, and creates the user whose books are checked. */
  async prepare(): Promise<void> {
    const { site, upstream } = this;
    const before = await site.root.data<{ id: number }[]>('GET', '/api/channel/?p=0&page_size=100');
    for (const { id } of before) await site.root.data('DELETE', `/api/channel/${id}`);
    const openaiModels = `${MODELS.openai},text-embedding-3-small`;
    await site.channel({ name: 'kube', type: 1, base_url: upstream.url, models: openaiModels });
    await site.channel({ name: 'kube claude', type: 14, base_url: upstream.url, models: MODELS.anthropic });
    const user = await site.user('watched', CREDIT);
    this.owner = { user, key: await site.token(user, { name: 'watched', unlimited_quota: true }) };
  }

  /**
   * Runs `work` while clients of all kinds send requests to the relays, in the way an ingress does, for at least this
   * many seconds.
   */
  async underLoad(seconds: number, work: (load: Load) => Promise<void>): Promise<Seen[]> {
    this.loads += 1;
    const load = new Load({
      url: await this.relayUrl(),
      key: this.watched.key,
      number: this.loads,
      requests: LONGEST_SECONDS * CLIENTS_PER_SECOND,
      seconds: LONGEST_SECONDS,
    });
    const running = load.run();
    try {
      await Promise.all([work(load), pause(seconds * 1000)]);
    } finally {
      load.enough();
      await running;
    }
    this.seen.push(...load.seen);
    return load.seen;
  }

  /**
   * Runs `work` while another user with a separate upstream sends as many requests as the relays can serve; resolves to
   * the number of replies.
   */
  async crowded(work: () => Promise<unknown>): Promise<number> {
    const { site } = this;
    const upstream = await startFakeUpstream({ host: NODE, journalSize: 1 });
    const channel = await site.channel({ name: 'crowd', base_url: upstream.url, models: CROWD_MODEL });
    const key = await site.token(await site.user('crowd', CREDIT));
    const url = `${await this.relayUrl()}/v1/chat/completions`;
    try {
      return await askWhile({ url, key, model: CROWD_MODEL }, work);
    } finally {
      // The compared books must contain only the channels of the watched user.
      await site.root.data('DELETE', `/api/channel/${channel}`);
      await upstream.close();
    }
  }

  private async relayUrl(): Promise<string> {
    return `http://${await this.cluster.addressOf('tollgate-relay')}`;
  }

  /** Compares clients' replies with the books, which must all agree; repeats until they do or the time is over. */
  async verdict(): Promise<Judgement> {
    const deadline = performance.now() + SETTLED_MS;
    for (;;) {
      const books = await readBooks(this.databaseUrl, this.watched.user.id);
      const judgement = judge({
        ...{ seen: this.seen, books, journal: this.upstream.journal() },
        relayDeaths: this.relayDeaths,
      });
      if (judgement.faults.length === 0 || performance.now() > deadline) return judgement;
      await pause(500);
    }
  }

  private get watched(): { user: Person; key: string } {
    if (!this.owner) throw new Error('prepare the stage first');
    return this.owner;
  }

  async untilReady(service: string, count: number, isMeant: (pod: Pod) => boolean = () => true): Promise<void> {
    await eventually(
      `${count} ready pods of ${service}`,
      async () => {
        const pods = await this.cluster.pods(service);
        return pods.filter((pod) => isReady(pod) && isMeant(pod)).length >= count;
      },
      180_000,
    );
  }

  async close(): Promise<void> {
    await this.upstream.close();
  }
}

/** Failures of clients that did not leave on purpose. */
export const failuresOf = (seen: readonly Seen[]): string[] =>
  seen
    .filter(({ isWhole, hasLeft }) => !isWhole && !hasLeft)
    .map(({ kind, status, failure, received }) => `${kind}: ${status} ${failure ?? received.slice(0, 200)}`);

/** A crowd of clients, each sending its next request when the previous one is answered. */
async function askWhile(
  { url, key, model }: { url: string; key: string; model: string },
  work: () => Promise<unknown>,
): Promise<number> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ model, messages: [{ role: 'user', content: 'crowd' }] });
  let isOver = false;
  let answered = 0;
  const ask = async (): Promise<void> => {
    while (!isOver) {
      const reply = await fetch(url, { method: 'POST', headers, body });
      const text = await reply.text();
      if (!reply.ok) throw new Error(`one of a crowd was answered ${reply.status}: ${text}`);
      answered += 1;
    }
  };
  const asking = Promise.all(Array.from({ length: CROWD }, ask));
  const working = work().finally(() => {
    isOver = true;
  });
  // Awaits both, so that there is no unhandled rejection; a failed request takes precedence.
  const [asked, worked] = await Promise.allSettled([asking, working]);
  for (const end of [asked, worked]) if (end.status === 'rejected') throw end.reason as Error;
  return answered;
}
