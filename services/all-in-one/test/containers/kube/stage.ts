import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type FakeUpstream, type Person, setUpSite, type Site, startFakeUpstream } from '@tollgate/testing';
import { readBooks } from '../../books.js';
import { Load } from '../../fault-load.js';
import { MODELS } from '../../relay-site.js';
import { type Judgement, judge } from '../../verdict.js';
import type { Seen } from '../../witness.js';
import { buildImages, podman, PRODUCT, ROOT } from '../podman.js';
import { eventually, isReady, KubeCluster, type Pod } from './cluster.js';

/** The node, as pods see it. */
const NODE = '10.244.0.1';
export const NEXT = 'localhost/tollgate:next';
const FOLDER = 'services/all-in-one/test/containers/kube';
const SERVERS = [
  'docker.io/library/postgres:18.4-bookworm',
  'docker.io/library/redis:7.4.6-bookworm',
  'docker.io/apache/kafka:4.3.1',
];
const CREDIT = 500_000_000;
const SETTLED_MS = 120_000;

/** The chart on a cluster, set up, with an upstream on the node and one user whose books are watched. */
export class KubeStage {
  readonly seen: Seen[] = [];
  /** When relays were killed. */
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
    // Another release of the same code: another image, so that every pod is replaced.
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

  /** Channels of this stage in the place of whatever was there, and the user whose books are watched. */
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

  /** Clients of all kinds, to relays as an ingress sends them; they ask while `work` is done and until it is. */
  async underLoad(seconds: number, work: (load: Load) => Promise<void>): Promise<Seen[]> {
    this.loads += 1;
    const url = `http://${await this.cluster.addressOf('tollgate-relay')}`;
    const load = new Load({ url, key: this.watched.key, number: this.loads, requests: seconds * 5, seconds });
    const running = load.run();
    await work(load);
    await running;
    this.seen.push(...load.seen);
    return load.seen;
  }

  /** Clients got what was booked, once, and all books say the same; looks until it is so or the time is over. */
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
    await eventually(`${count} ready pods of ${service}`, 180_000, async () => {
      const pods = await this.cluster.pods(service);
      return pods.filter((pod) => isReady(pod) && isMeant(pod)).length >= count;
    });
  }

  async close(): Promise<void> {
    await this.upstream.close();
  }
}

/** What went wrong for clients who did not leave. */
export const failuresOf = (seen: readonly Seen[]): string[] =>
  seen
    .filter(({ isWhole, hasLeft }) => !isWhole && !hasLeft)
    .map(({ kind, status, failure, received }) => `${kind}: ${status} ${failure ?? received.slice(0, 200)}`);
