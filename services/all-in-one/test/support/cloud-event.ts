import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import type { ForeignRecord } from '@tollgate/testing';

interface Validator {
  (data: unknown): boolean;
  errors?: { instancePath: string; message?: string }[] | null;
}
interface Ajv {
  compile(schema: object): Validator;
}

/** Fastify's JSON schema validator, which is independent of the library that generated the schemas. */
const fastify = createRequire(createRequire(import.meta.url).resolve('fastify'));
const compiler = createRequire(fastify.resolve('@fastify/ajv-compiler'));
const { Ajv2020 } = compiler('ajv/dist/2020') as { Ajv2020: new (options: object) => Ajv };
const addFormats = compiler('ajv-formats') as (ajv: Ajv) => void;

/** The rules of CloudEvents 1.0 for events in JSON, whatever their content. */
const cloudEventSchema = {
  type: 'object',
  required: ['specversion', 'id', 'source', 'type'],
  propertyNames: { pattern: '^[a-z0-9]+$' },
  properties: {
    specversion: { const: '1.0' },
    id: { type: 'string', minLength: 1 },
    source: { type: 'string', minLength: 1, format: 'uri-reference' },
    type: { type: 'string', minLength: 1 },
    subject: { type: 'string', minLength: 1 },
    time: { type: 'string', format: 'date-time' },
    datacontenttype: { const: 'application/json' },
    dataschema: { type: 'string', format: 'uri' },
    data: { type: 'object' },
  },
  not: { required: ['data_base64'] },
};

function faults(schema: object, data: unknown): string[] {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats(ajv);
  const validate = ajv.compile(schema);
  validate(data);
  return (validate.errors ?? []).map(({ instancePath, message = '' }) => `${instancePath} ${message}`);
}

/**
 * Why a record is not a valid CloudEvent in the structured mode of the Kafka binding, or does not match the schema of
 * its type; empty if it is valid.
 */
export function faultsOf({ headers, value }: ForeignRecord): string[] {
  const mode = /^application\/cloudevents\+json(;|$)/.test(headers['content-type'] ?? '');
  if (!mode) return [`content-type is ${headers['content-type']}`];
  const event = JSON.parse(value) as { type: string };
  const published = resolve(import.meta.dirname, `../../../../docs/schemas/${event.type}.json`);
  const schema = JSON.parse(readFileSync(published, 'utf8')) as object;
  return [...faults(cloudEventSchema, event), ...faults(schema, event)];
}
