import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { eventually } from '@tollgate/testing';
import { command, ROOT } from '../podman.js';

/** Folder of the scripts that start and stop a cluster of one node. */
const SCRIPTS = process.env.TOLLGATE_KUBE;
/** Folder of their programs and of the cluster's kubeconfig. */
const HOME = process.env.KUBE_HOME ?? join(homedir(), '.cache', 'kube');
/**
 * A new one for each run, because deleting a namespace may take minutes while the cluster's metrics are unavailable.
 */
const NAMESPACE = `tollgate-${Date.now().toString(36)}`;
const LOOK_MS = 500;
const PRODUCT_LABEL = 'app.kubernetes.io/part-of=tollgate';
const UP_SECONDS = 300;
/**
 * A roll-out without any change for this long is considered stuck; one that makes progress is waited for, however slow
 * the machine is.
 */
const STUCK_MS = 180_000;
const LONGEST_MS = 900_000;
/** From a ready node to the first metrics of its pods: a little more than two rounds of the metrics server. */
const MEASURED_MS = 45_000;
const IMAGES_SECONDS = 600;

/**
 * Why there is no cluster for the chart; building its programs takes half an hour, so this is not done automatically.
 */
export function missingForKube(): string | undefined {
  if (SCRIPTS === undefined || SCRIPTS === '') return 'TOLLGATE_KUBE names no folder with up.sh and down.sh';
  if (!existsSync(join(SCRIPTS, 'up.sh'))) return `there is no up.sh in ${SCRIPTS}`;
  const programs = ['kubelet', 'kubectl', 'helm', 'local-path-provisioner'].map((name) => join(HOME, 'bin', name));
  const missing = programs.find((program) => !existsSync(program));
  return missing === undefined ? undefined : `${missing} is not built`;
}

/**
 * Starts the bare cluster; resolves to the reason if this machine cannot. That is no fault of the product, so the suite
 * is skipped then, not failed.
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

/** npm sets NODE to its own executable, which the scripts would take for the host name. */
const script = (name: string, args: readonly string[], seconds: number): Promise<string> =>
  command('env', ['-u', 'NODE', join(resolve(SCRIPTS ?? ''), name), ...args], seconds);

/** Stops the whole cluster, unless it is to be kept for inspection. */
export async function takeDown(): Promise<void> {
  if (process.env.TOLLGATE_KUBE_KEEP !== 'on') await script('down.sh', [], 300);
}

/** The fields of a pod that the suite reads. */
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

  /** Starts the cluster, as far as it is not running, and loads these images from podman into it. */
  async up(images: readonly string[]): Promise<void> {
    await script('up.sh', images, IMAGES_SECONDS);
    await this.forgetEarlier();
    await this.kubectl('create', 'namespace', NAMESPACE);
    if (!(await this.isMeasuredWithin(MEASURED_MS))) await this.renewMetrics();
    // Only warns: the servers that the test installs in this namespace need not comply.
    await this.kubectl('label', 'namespace', NAMESPACE, 'pod-security.kubernetes.io/warn=restricted');
  }

  /** Deletes what an earlier run has left in a cluster that was kept. */
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

  /** Installs, upgrades or rolls back, and waits until every workload has reached its desired state. */
  async roll(...args: readonly string[]): Promise<void> {
    // The timeout is for the migration job; the roll-out is watched below, where its progress is visible.
    await this.helm(...args, '--timeout', '10m');
    await whileItMoves(`helm ${args[0]}`, () => this.unsettled());
  }

  /** Workloads that have not reached their desired state, with the state of their pods. */
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

  /** The desired number of relays. */
  async relaysWanted(): Promise<number> {
    return (await this.read<Workload>('statefulset/tollgate-relay')).spec.replicas;
  }

  /** The address of a service on the node. */
  async addressOf(service: string): Promise<string> {
    return (await this.read<{ spec: { clusterIP: string } }>('service', service)).spec.clusterIP;
  }

  /** Kills the container's first process without notice, like a power failure. */
  async kill(pod: Pod): Promise<void> {
    const id = pod.status.containerStatuses?.[0]?.containerID?.replace('containerd://', '') ?? '';
    const ctr = [join(HOME, 'bin', 'ctr'), '--address', join(HOME, 'run', 'containerd.sock'), '--namespace', 'k8s.io'];
    const [program = '', ...args] = ctr;
    await command(program, [...args, 'tasks', 'kill', '--signal', 'SIGKILL', id]);
  }

  /** Evicts the pod as a drain of its node does; waits as long as a disruption budget forbids it. */
  async evict(pod: Pod): Promise<void> {
    const { name } = pod.metadata;
    const body = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name, namespace: NAMESPACE } };
    await eventually(
      `the eviction of ${name}`,
      async () => {
        const words = ['create', '--raw', `/api/v1/namespaces/${NAMESPACE}/pods/${name}/eviction`, '-f', '-'];
        const line = [...this.env, join(HOME, 'bin', 'kubectl'), ...words].map((word) => `'${word}'`).join(' ');
        return command('sh', ['-c', `echo '${JSON.stringify(body)}' | ${line}`]).then(
          () => true,
          (error: Error) => {
            if (/disruption budget|TooManyRequests/i.test(error.message)) return false;
            throw error;
          },
        );
      },
      180_000,
    );
  }

  /** Whether the cluster has metrics of its pods, which autoscalers need. */
  async isMeasured(): Promise<boolean> {
    return this.kubectl('top', 'nodes').then(
      () => true,
      () => false,
    );
  }

  private async isMeasuredWithin(ms: number): Promise<boolean> {
    return eventually('figures of pods', () => this.isMeasured(), ms).then(
      () => true,
      () => false,
    );
  }

  /**
   * Gives the metrics server another address. The API server may have connected to the first address before it was
   * routed inside this machine; it then keeps that connection for ever and reports that there are no metrics.
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
    await eventually(
      `the metrics server at ${address}`,
      async () => {
        const asked = ['--silent', '--insecure', '--noproxy', '*', '--max-time', '3', `https://${address}/readyz`];
        return (await command('curl', asked).catch(() => '')) === 'ok';
      },
      60_000,
    );
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

/** The desired number of replicas, all updated and ready, and none of an older revision. */
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

/** Prints what is waited for whenever it changes; throws when nothing has changed for too long. */
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
