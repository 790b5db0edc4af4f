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
const UP_SECONDS = 300;
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
    containerStatuses?: { containerID?: string; restartCount: number; imageID: string }[];
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
    return this.run('helm', ['--namespace', NAMESPACE, ...args], 420);
  }

  private run(program: string, args: readonly string[], seconds: number): Promise<string> {
    const [first = '', ...rest] = [...this.env, join(HOME, 'bin', program), ...args];
    return command(first, rest, seconds);
  }

  async read<T>(...args: readonly string[]): Promise<T> {
    return JSON.parse(await this.kubectl('get', ...args, '-o', 'json')) as T;
  }

  async pods(service?: string): Promise<Pod[]> {
    const labels = [
      'app.kubernetes.io/part-of=tollgate',
      ...(service ? [`app.kubernetes.io/component=${service}`] : []),
    ];
    return (await this.read<{ items: Pod[] }>('pods', '-l', labels.join(','))).items;
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
    return this.kubectl('top', 'pods').then(
      () => true,
      () => false,
    );
  }

  async apply(file: string): Promise<void> {
    await this.kubectl('apply', '-f', join(ROOT, file));
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
