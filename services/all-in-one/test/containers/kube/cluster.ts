import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { command, ROOT } from '../podman.js';

/** The folder of the scripts that bring a cluster of one node up and down. */
const SCRIPTS = process.env.TOLLGATE_KUBE;
/** Where they keep programs and the address of the cluster. */
const HOME = process.env.KUBE_HOME ?? join(homedir(), '.cache', 'kube');
/** Another one each time: to delete one may take minutes, as long as the cluster's metrics are away. */
const NAMESPACE = `tollgate-${Date.now().toString(36)}`;
const LOOK_MS = 500;
const PRODUCT_LABEL = 'app.kubernetes.io/part-of=tollgate';
const UP_SECONDS = 300;
/** Nothing that moves for so long will not move any more; what moves is waited for, however slow the machine is. */
const STUCK_MS = 180_000;
const LONGEST_MS = 900_000;
/** From a node that is ready to the first figures of its pods: two rounds of the metrics server, and some. */
const MEASURED_MS = 45_000;
const IMAGES_SECONDS = 600;

/** Why there is no cluster to install the chart on; its programs take half an hour to build, so nobody does it by the way. */
export function missingForKube(): string | undefined {
  if (SCRIPTS === undefined || SCRIPTS === '') return 'TOLLGATE_KUBE names no folder with up.sh and down.sh';
  if (!existsSync(join(SCRIPTS, 'up.sh'))) return `there is no up.sh in ${SCRIPTS}`;
  const programs = ['kubelet', 'kubectl', 'helm', 'local-path-provisioner'].map((name) => join(HOME, 'bin', name));
  const missing = programs.find((program) => !existsSync(program));
  return missing === undefined ? undefined : `${missing} is not built`;
}

/**
 * Brings the bare cluster up; resolves to why this machine has none. That is no fault of the product, so the suite is then not
 * run instead of failed.
 */
export async function faultOfMachine(): Promise<string | undefined> {
  try {
    await script('up.sh', [], UP_SECONDS);
    return undefined;
  } catch (error) {
    await takeDown().catch(() => undefined);
    return `the cluster did not come up on this machine: ${(error as Error).message}`;
  }
}

/** npm sets NODE to its own program; the scripts take it for the name of the machine. */
const script = (name: string, args: readonly string[], seconds: number): Promise<string> =>
  command('env', ['-u', 'NODE', join(resolve(SCRIPTS ?? ''), name), ...args], seconds);

/** The whole cluster goes, unless somebody wants to look at it. */
export async function takeDown(): Promise<void> {
  if (process.env.TOLLGATE_KUBE_KEEP !== 'on') await script('down.sh', [], 300);
}

/** What the suite reads of a pod. */
export interface Pod {
  metadata: { name: string; uid: string; labels: Record<string, string>; deletionTimestamp?: string };
  status: {
    phase: string;
    conditions?: { type: string; status: string }[];
    containerStatuses?: {
      containerID?: string;
      restartCount: number;
      imageID: string;
      started?: boolean;
      state?: { waiting?: { reason: string } };
    }[];
  };
}

export const isReady = ({ status, metadata }: Pod): boolean =>
  metadata.deletionTimestamp === undefined &&
  status.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') === true;

/** A namespace of a cluster on this machine. */
export class KubeCluster {
  private readonly env = ['env', `KUBECONFIG=${join(HOME, 'admin.kubeconfig')}`];

  /** Gives the cluster, and what of it does not run any more, these images of podman's. */
  async up(images: readonly string[]): Promise<void> {
    await script('up.sh', images, IMAGES_SECONDS);
    await this.forgetEarlier();
    await this.kubectl('create', 'namespace', NAMESPACE);
    if (!(await this.isMeasuredWithin(MEASURED_MS))) await this.renewMetrics();
    // Whatever is not restricted shall not start, servers excepted.
    await this.kubectl('label', 'namespace', NAMESPACE, 'pod-security.kubernetes.io/warn=restricted');
  }

  /** What an earlier run left in a cluster that somebody kept. */
  private async forgetEarlier(): Promise<void> {
    const { items } = await this.read<{ items: { metadata: { name: string } }[] }>('namespaces');
    const left = items.map(({ metadata }) => metadata.name).filter((name) => name.startsWith('tollgate-'));
    if (left.length > 0) await this.kubectl('delete', 'namespace', ...left, '--wait=false');
  }

  kubectl(...args: readonly string[]): Promise<string> {
    return this.run('kubectl', ['--namespace', NAMESPACE, ...args], 240);
  }

  helm(...args: readonly string[]): Promise<string> {
    return this.run('helm', ['--namespace', NAMESPACE, ...args], 620);
  }

  /** Installs, upgrades or rolls back, and waits until every workload is what it shall be. */
  async roll(...args: readonly string[]): Promise<void> {
    // The job before it has this long; what comes after is watched here, where one sees whether it moves.
    await this.helm(...args, '--timeout', '10m');
    await whileItMoves(`helm ${args[0]}`, () => this.unsettled());
  }

  /** What of the workloads is not as it shall be yet, and in which state its pods are. */
  private async unsettled(): Promise<string[]> {
    const { items } = await this.read<{ items: Workload[] }>('deployments,statefulsets', '-l', PRODUCT_LABEL);
    const waiting = items.filter((workload) => !isSettled(workload));
    if (waiting.length === 0) return [];
    const pods = (await this.pods()).filter((pod) => !isReady(pod));
    return [...waiting.map(stateOf), ...pods.map(podState)];
  }

  private run(program: string, args: readonly string[], seconds: number): Promise<string> {
    const [first = '', ...rest] = [...this.env, join(HOME, 'bin', program), ...args];
    return command(first, rest, seconds);
  }

  async read<T>(...args: readonly string[]): Promise<T> {
    return JSON.parse(await this.kubectl('get', ...args, '-o', 'json')) as T;
  }

  async pods(service?: string): Promise<Pod[]> {
    const labels = [PRODUCT_LABEL, ...(service ? [`app.kubernetes.io/component=${service}`] : [])];
    return (await this.read<{ items: Pod[] }>('pods', '-l', labels.join(','))).items;
  }

  /** How many relays there shall be. */
  async relaysWanted(): Promise<number> {
    return (await this.read<Workload>('statefulset/tollgate-relay')).spec.replicas;
  }

  /** The address at which a service answers everybody on the node. */
  async addressOf(service: string): Promise<string> {
    return (await this.read<{ spec: { clusterIP: string } }>('service', service)).spec.clusterIP;
  }

  /** As a power cut would: the container's first process is killed, and nobody is told. */
  async kill(pod: Pod): Promise<void> {
    const id = pod.status.containerStatuses?.[0]?.containerID?.replace('containerd://', '') ?? '';
    const ctr = [join(HOME, 'bin', 'ctr'), '--address', join(HOME, 'run', 'containerd.sock'), '--namespace', 'k8s.io'];
    const [program = '', ...args] = ctr;
    await command(program, [...args, 'tasks', 'kill', '--signal', 'SIGKILL', id]);
  }

  /** As a drain of its node does; waits as long as a disruption budget says no. */
  async evict(pod: Pod): Promise<void> {
    const { name } = pod.metadata;
    const body = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name, namespace: NAMESPACE } };
    await eventually(`the eviction of ${name}`, 180_000, async () => {
      const words = ['create', '--raw', `/api/v1/namespaces/${NAMESPACE}/pods/${name}/eviction`, '-f', '-'];
      const line = [...this.env, join(HOME, 'bin', 'kubectl'), ...words].map((word) => `'${word}'`).join(' ');
      return command('sh', ['-c', `echo '${JSON.stringify(body)}' | ${line}`]).then(
        () => true,
        (error: Error) => {
          if (/disruption budget|TooManyRequests/i.test(error.message)) return false;
          throw error;
        },
      );
    });
  }

  /** Whether the cluster knows how busy its pods are, which autoscalers need. */
  async isMeasured(): Promise<boolean> {
    return this.kubectl('top', 'nodes').then(
      () => true,
      () => false,
    );
  }

  private async isMeasuredWithin(ms: number): Promise<boolean> {
    return eventually('figures of pods', ms, () => this.isMeasured()).then(
      () => true,
      () => false,
    );
  }

  /**
   * Gives the metrics server another address. The API server may have asked the first one before it led anywhere inside of this machine;
   * it then keeps that connection for good, to whatever answered there, and says that there are no metrics.
   */
  private async renewMetrics(): Promise<void> {
    process.stderr.write('the cluster measures nothing; giving its metrics server another address\n');
    const service = {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'metrics-server', namespace: 'kube-system' },
    };
    const spec = { selector: { 'k8s-app': 'metrics-server' }, ports: [{ port: 443, targetPort: 10250 }] };
    const api = await this.kubectl('get', 'apiservice', 'v1beta1.metrics.k8s.io', '-o', 'json');
    const { apiVersion, kind, metadata, spec: registered } = JSON.parse(api) as Record<string, { name: string }>;
    await this.kubectl('delete', 'apiservice', 'v1beta1.metrics.k8s.io');
    await this.kubectl('delete', 'service', '--namespace', 'kube-system', 'metrics-server');
    await this.create({ ...service, spec });
    const address = await this.kubectl(
      ...['get', 'service', '--namespace', 'kube-system', 'metrics-server', '-o', 'jsonpath={.spec.clusterIP}'],
    );
    await eventually(`the metrics server at ${address}`, 60_000, async () => {
      const asked = ['--silent', '--insecure', '--noproxy', '*', '--max-time', '3', `https://${address}/readyz`];
      return (await command('curl', asked).catch(() => '')) === 'ok';
    });
    await this.create({ apiVersion, kind, metadata: { name: metadata?.name }, spec: registered });
    await this.isMeasuredWithin(2 * MEASURED_MS);
  }

  private async create(object: object): Promise<void> {
    const line = [...this.env, join(HOME, 'bin', 'kubectl'), 'create', '-f', '-'].map((word) => `'${word}'`).join(' ');
    await command('sh', ['-c', `echo '${JSON.stringify(object)}' | ${line}`]);
  }

  async apply(file: string): Promise<void> {
    await this.kubectl('apply', '-f', join(ROOT, file));
  }
}

interface Workload {
  kind: string;
  metadata: { name: string; generation: number };
  spec: { replicas: number };
  status: {
    observedGeneration?: number;
    replicas?: number;
    updatedReplicas?: number;
    readyReplicas?: number;
  };
}

/** As many new replicas as are wanted, all ready, and none of another kind. */
function isSettled({ metadata, spec: { replicas }, status }: Workload): boolean {
  const { observedGeneration = 0, updatedReplicas = 0, readyReplicas = 0, replicas: there = 0 } = status;
  const isSeen = observedGeneration >= metadata.generation;
  return isSeen && [updatedReplicas, readyReplicas, there].every((count) => count === replicas);
}

const stateOf = ({ metadata: { name }, spec: { replicas }, status }: Workload): string =>
  `${name}: ${status.updatedReplicas ?? 0} of ${replicas} new, ${status.readyReplicas ?? 0} ready`;

function podState({ metadata: { name, deletionTimestamp }, status }: Pod): string {
  const [container] = status.containerStatuses ?? [];
  const why = container?.state?.waiting?.reason ?? (container?.started === false ? 'starting' : status.phase);
  const restarts = container?.restartCount ? `, ${container.restartCount} restarts` : '';
  return `${name}: ${deletionTimestamp === undefined ? why : 'ending'}${restarts}`;
}

/** Says what is waited for whenever that changes; fails by it when nothing has changed for long. */
async function whileItMoves(what: string, waiting: () => Promise<string[]>): Promise<void> {
  const started = performance.now();
  let told = '';
  let moved = started;
  for (;;) {
    const left = await waiting();
    if (left.length === 0) return;
    const now = performance.now();
    if (left.join('; ') !== told) {
      told = left.join('; ');
      moved = now;
      process.stderr.write(`${what} after ${Math.round((now - started) / 1000)} s waits for ${told}\n`);
    }
    if (now - moved > STUCK_MS || now - started > LONGEST_MS)
      throw new Error(`${what} stands still after ${Math.round((now - started) / 1000)} s: ${told}`);
    await pause(LOOK_MS);
  }
}

/** Looks until it holds; fails by name when the time is over. */
export async function eventually(what: string, ms: number, holds: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + ms;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`${what} did not come about in ${ms / 1000} s`);
    await pause(LOOK_MS);
  }
}
