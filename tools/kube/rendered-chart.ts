import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { packageBehind } from '@tollgate/testing';

export const CHART = resolve(import.meta.dirname, '../../helm/tollgate');

/**
 * Passed to Helm explicitly: a Helm that was built without a default version assumes a Kubernetes of 2020, which the
 * chart refuses.
 */
const KUBERNETES = '1.32.3';

/** The fields of a Kubernetes object that the tests read. */
export interface KubeObject {
  apiVersion: string;
  kind: string;
  metadata: { name: string; labels?: Record<string, string>; annotations?: Record<string, string> };
  spec?: Record<string, unknown>;
  data?: Record<string, string>;
}

export interface Container {
  name: string;
  image: string;
  args?: string[];
  env?: { name: string; value?: string; valueFrom?: { secretKeyRef?: { name: string; key: string } } }[];
  envFrom?: { configMapRef?: { name: string }; secretRef?: { name: string } }[];
  ports?: { name: string; containerPort: number }[];
  securityContext?: Record<string, unknown>;
  resources?: { requests?: object; limits?: object };
  readinessProbe?: { httpGet: { path: string; port: string } };
  livenessProbe?: { httpGet: { path: string; port: string } };
  volumeMounts?: { name: string; mountPath: string }[];
}

export interface PodSpec {
  containers: Container[];
  nodeSelector?: object;
  tolerations?: object[];
  priorityClassName?: string;
  volumes?: Record<string, unknown>[];
  securityContext?: Record<string, unknown>;
  automountServiceAccountToken?: boolean;
  terminationGracePeriodSeconds?: number;
  hostNetwork?: boolean;
  hostPID?: boolean;
}

/** The pod spec of a workload, a job or a pod. */
export const podSpecOf = ({ kind, spec }: KubeObject): PodSpec | undefined => {
  if (kind === 'Pod') return spec as unknown as PodSpec;
  const template = spec?.['template'] as { spec: PodSpec } | undefined;
  return template?.spec;
};

/** The object of the release `here` whose name ends with `name` after that of the chart. */
export const named = (objects: readonly KubeObject[], kind: string, name: string): KubeObject => {
  const found = objects.find((one) => one.kind === kind && one.metadata.name === `here-tollgate${name}`);
  if (!found) throw new Error(`no ${kind} here-tollgate${name}`);
  return found;
};

/**
 * The environment of a container, with secrets of the chart in plain text. Values of secrets that the chart does not
 * contain are `(from elsewhere)`.
 */
export function environmentOf(objects: readonly KubeObject[], container: Container): Record<string, string> {
  const dataOf = (kind: string, name?: string): Record<string, string> =>
    objects.find((one) => one.kind === kind && one.metadata.name === name)?.data ?? {};
  const all: Record<string, string> = {};
  for (const { configMapRef } of container.envFrom ?? []) Object.assign(all, dataOf('ConfigMap', configMapRef?.name));
  for (const { name, value, valueFrom } of container.env ?? []) {
    const { name: secret, key = '' } = valueFrom?.secretKeyRef ?? {};
    const sealed = dataOf('Secret', secret)[key];
    all[name] = value ?? (sealed === undefined ? '(from elsewhere)' : Buffer.from(sealed, 'base64').toString());
  }
  return all;
}

const { parse, parseAllDocuments } = packageBehind('testcontainers', 'docker-compose')('yaml') as {
  parse(text: string): unknown;
  parseAllDocuments(text: string): { toJS(): unknown; errors: unknown[] }[];
};

/** Parses a YAML file of the chart. */
export const readYaml = (file: string): unknown => parse(readFileSync(join(CHART, file), 'utf8'));

/**
 * Renders the chart with `helm template` from files of values, `--set` settings and a values object. Throws Helm's
 * message if it fails.
 */
export function renderChart(
  helm: string,
  files: readonly string[],
  settings: readonly string[] = [],
  { values = {}, release = 'here' }: { values?: object; release?: string } = {},
): KubeObject[] {
  const where = ['--namespace', 'ai', '--kube-version', KUBERNETES];
  const args = ['template', release, CHART, ...where, ...files.flatMap((file) => ['-f', join(CHART, file)])];
  const set = settings.flatMap((setting) => ['--set', setting]);
  const input = JSON.stringify(values);
  const options = { encoding: 'utf8', stdio: 'pipe', maxBuffer: 16 << 20, input } as const;
  const documents = parseAllDocuments(execFileSync(helm, [...args, '-f', '-', ...set], options));
  const faults = documents.flatMap(({ errors }) => errors);
  if (faults.length > 0) throw new Error(`what Helm renders is no YAML: ${String(faults[0])}`);
  return documents.map((document) => document.toJS()).filter((value) => value !== null) as KubeObject[];
}

const Ajv = packageBehind('fastify', '@fastify/ajv-compiler')('ajv') as new (options: object) => {
  addSchema(schema: object, key: string): void;
  getSchema(key: string): (((data: unknown) => boolean) & { errors?: object[] | null }) | undefined;
};
const api = JSON.parse(readFileSync(join(import.meta.dirname, 'api-schemas.json'), 'utf8')) as {
  kinds: Record<string, object>;
  definitions: object;
};
const ajv = new Ajv({ strict: false, validateFormats: false });
ajv.addSchema({ definitions: { ...api.definitions, kinds: api.kinds } }, 'api');

/** What the API server would reject in an object: wrong types, missing fields and unknown fields. */
export function faultsOf(object: KubeObject): object[] {
  const id = `${object.apiVersion}/${object.kind}`;
  if (!(id in api.kinds)) return [{ message: `no schema of ${id}: tools/kube/api-schemas.mjs` }];
  const validate = ajv.getSchema(`api#/definitions/kinds/${id.replaceAll('/', '~1')}`);
  validate?.(object);
  return validate?.errors ?? [];
}
