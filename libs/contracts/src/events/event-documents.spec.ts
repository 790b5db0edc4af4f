import { describe, expect, it } from '@jest/globals';
import { asyncApiDocument, eventJsonSchema } from './event-documents.js';
import { allEvents } from './index.js';
import { requestConsumed } from './request-consumed.js';

interface Message {
  payload: { properties: Record<string, { const?: unknown }> };
}
interface Catalogue {
  channels: Record<string, { address: string; bindings: { kafka: { partitions: number } } }>;
  operations: Record<string, { channel: { $ref: string }; messages: { $ref: string }[] }>;
  components: { messages: Record<string, Message> };
}

const catalogue = asyncApiDocument(allEvents, '1.2.3') as unknown as Catalogue;

/** Resolves a JSON pointer in the document. */
const at = (ref: string): unknown =>
  ref
    .replace('#/', '')
    .split('/')
    .reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], catalogue);

describe('the documents of the event catalogue', () => {
  it('name every event with its topic and partitions', () => {
    const stated = Object.values(catalogue.channels).map(({ address, bindings }) => [
      address,
      bindings.kafka.partitions,
    ]);
    expect(stated).toEqual(allEvents.map(({ name, partitions }) => [name, partitions]));
    expect(allEvents.filter(({ summary }) => !summary.endsWith('.'))).toEqual([]);
  });

  it('refer only to what is in them', () => {
    const refs = Object.values(catalogue.operations).flatMap(({ channel, messages }) => [channel, ...messages]);
    expect(refs.length).toBe(2 * allEvents.length);
    expect(refs.filter(({ $ref }) => at($ref) === undefined)).toEqual([]);
  });

  it('fix type and version of each message, so that a consumer can tell events apart', () => {
    const { type, dataversion, specversion } = catalogue.components.messages['quota-low']?.payload.properties ?? {};
    expect([type?.const, dataversion?.const, specversion?.const]).toEqual(['quota-low', 1, '1.0']);
  });

  it('let fields be added but not be left out', () => {
    const schema = eventJsonSchema(requestConsumed) as {
      required: string[];
      properties: { data: { required: string[] } };
    };
    expect(schema).toMatchObject({ $id: 'urn:tollgate:event:request-consumed:2' });
    expect(schema.required).toEqual(expect.arrayContaining(['id', 'source', 'specversion', 'type', 'data']));
    expect(schema.properties.data.required).toEqual(expect.arrayContaining(['userId', 'quota', 'priceVersion']));
    expect(schema.properties.data.required).not.toContain('firstTokenMs');
    expect(JSON.stringify(schema)).not.toContain('"additionalProperties":false');
  });
});
