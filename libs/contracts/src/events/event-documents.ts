import { z } from 'zod';
import { type JsonSchema, toJsonSchema } from '../json-schema.js';
import { type EventContract, envelopeSchema } from './define-event.js';

/** Content type of a Kafka record: its value is the whole CloudEvent, in structured mode. */
const EVENT_CONTENT_TYPE = 'application/cloudevents+json';

const eventSchema = ({ name, version, data }: EventContract) =>
  envelopeSchema.extend({ type: z.literal(name), dataversion: z.literal(version), data });

/** The JSON Schema of a whole event with its envelope, for consumers in any language. */
export function eventJsonSchema(contract: EventContract): JsonSchema {
  const { name, version, summary } = contract;
  const { $schema, ...schema } = toJsonSchema(eventSchema(contract), { io: 'output' });
  return { $schema, $id: `urn:tollgate:event:${name}:${version}`, title: name, description: summary, ...schema };
}

/** The event catalogue as an AsyncAPI 3 document. Addresses omit the topic prefix that an operator may configure. */
export function asyncApiDocument(contracts: readonly EventContract[], version: string): JsonSchema {
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Tollgate events',
      version,
      description:
        'Every published fact as CloudEvents 1.0 in structured JSON, at least once and in order per key. Fields may be added inside a version; consumers ignore what they do not know.',
      license: { name: 'MIT' },
    },
    defaultContentType: EVENT_CONTENT_TYPE,
    channels: byName(contracts, channelOf),
    operations: byName(contracts, ({ name }) => ({
      action: 'send',
      channel: { $ref: `#/channels/${name}` },
      messages: [{ $ref: `#/channels/${name}/messages/${name}` }],
    })),
    components: { messages: byName(contracts, messageOf) },
  };
}

const byName = (contracts: readonly EventContract[], entry: (contract: EventContract) => JsonSchema): JsonSchema =>
  Object.fromEntries(contracts.map((contract) => [contract.name, entry(contract)]));

const channelOf = ({ name, summary, partitions }: EventContract): JsonSchema => ({
  address: name,
  description: summary,
  messages: { [name]: { $ref: `#/components/messages/${name}` } },
  bindings: { kafka: { partitions, bindingVersion: '0.5.0' } },
});

function messageOf(contract: EventContract): JsonSchema {
  const { $schema: _, ...payload } = toJsonSchema(eventSchema(contract), { io: 'output', target: 'draft-7' });
  return {
    name: contract.name,
    title: contract.name,
    summary: contract.summary,
    contentType: EVENT_CONTENT_TYPE,
    headers: {
      type: 'object',
      properties: { 'content-type': { type: 'string', const: EVENT_CONTENT_TYPE } },
      required: ['content-type'],
    },
    payload,
    bindings: { kafka: { key: { type: 'string', description: 'The subject of the event.' }, bindingVersion: '0.5.0' } },
  };
}
