/**
 * Writes tools/kube/api-schemas.json: the schemas of the Kubernetes kinds that the chart renders, as JSON Schema that
 * rejects unknown fields. Run it by hand when the chart gets a new kind or supports a newer Kubernetes:
 *
 *   node tools/kube/api-schemas.mjs <swagger.json of k8s.io/kubernetes> <folder or file of custom resource definitions>…
 */
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const KINDS = [
  'v1/ConfigMap',
  'v1/Pod',
  'v1/Secret',
  'v1/Service',
  'v1/ServiceAccount',
  'apps/v1/Deployment',
  'apps/v1/StatefulSet',
  'autoscaling/v2/HorizontalPodAutoscaler',
  'batch/v1/Job',
  'networking.k8s.io/v1/Ingress',
  'networking.k8s.io/v1/NetworkPolicy',
  'policy/v1/PodDisruptionBudget',
  'gateway.networking.k8s.io/v1/HTTPRoute',
  'keda.sh/v1alpha1/ScaledObject',
  'keda.sh/v1alpha1/TriggerAuthentication',
  'monitoring.coreos.com/v1/PodMonitor',
  'monitoring.coreos.com/v1/PrometheusRule',
  'monitoring.coreos.com/v1/ServiceMonitor',
];
const KEPT = [
  'type',
  'enum',
  'required',
  'pattern',
  'minimum',
  'maximum',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
];
/** Types whose value may be a string or a number. */
const LOOSE = new Set(['IntOrString', 'Quantity']);

const require = createRequire(import.meta.url);
const behind = (...chain) => chain.reduce((from, name) => createRequire(from.resolve(name)), require);
const { parse } = behind('testcontainers', 'docker-compose')('yaml');

const [swaggerFile, ...crdPlaces] = process.argv.slice(2);
const swagger = JSON.parse(readFileSync(swaggerFile, 'utf8'));
const definitions = {};
const kinds = {};

function slim(schema) {
  if (schema.$ref) return reference(schema.$ref.replace('#/definitions/', ''));
  if (schema['x-kubernetes-int-or-string'] || schema.format === 'int-or-string') return { type: ['string', 'integer'] };
  const kept = Object.fromEntries(KEPT.filter((key) => schema[key] !== undefined).map((key) => [key, schema[key]]));
  // An inline flag of Go's regular expressions that JavaScript does not support.
  if (kept.pattern?.includes('(?i)')) delete kept.pattern;
  if (schema.items) kept.items = slim(schema.items);
  if (schema.properties) {
    kept.properties = Object.fromEntries(Object.entries(schema.properties).map(([name, of]) => [name, slim(of)]));
    const isOpen = schema.additionalProperties || schema['x-kubernetes-preserve-unknown-fields'];
    if (!isOpen) kept.additionalProperties = false;
  } else if (typeof schema.additionalProperties === 'object')
    kept.additionalProperties = slim(schema.additionalProperties);
  return kept;
}

function reference(name) {
  const short = name.split('.').at(-1);
  if (LOOSE.has(short)) return { type: ['string', 'number'] };
  if (!definitions[name]) {
    definitions[name] = {};
    definitions[name] = slim(swagger.definitions[name]);
  }
  return { $ref: `#/definitions/${name}` };
}

const meta = { $ref: reference('io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta').$ref };

for (const [name, schema] of Object.entries(swagger.definitions))
  for (const { group, version, kind } of schema['x-kubernetes-group-version-kind'] ?? []) {
    const id = [group, version, kind].filter(Boolean).join('/');
    if (KINDS.includes(id)) kinds[id] = reference(name);
  }

const files = crdPlaces.flatMap((place) =>
  statSync(place).isDirectory() ? readdirSync(place).map((file) => join(place, file)) : [place],
);
for (const file of files.filter((name) => name.endsWith('.yaml'))) {
  const { kind, spec } = parse(readFileSync(file, 'utf8')) ?? {};
  if (kind !== 'CustomResourceDefinition') continue;
  for (const { name, schema } of spec.versions) {
    const id = `${spec.group}/${name}/${spec.names.kind}`;
    if (!KINDS.includes(id)) continue;
    const own = slim(schema.openAPIV3Schema);
    own.properties.metadata = meta;
    definitions[id] = own;
    kinds[id] = { $ref: `#/definitions/${id.replaceAll('/', '~1')}` };
  }
}

const missing = KINDS.filter((id) => !kinds[id]);
if (missing.length > 0) throw new Error(`no schema of ${missing.join(', ')}`);
const out = join(import.meta.dirname, 'api-schemas.json');
writeFileSync(out, `${JSON.stringify({ kubernetes: swagger.info.version, kinds, definitions })}\n`);
