import { type JsonSchema, toJsonSchema } from '@tollgate/contracts';
import { namedSchemas } from '@tollgate/contracts/operations/index';
import { z } from 'zod';

/** Collects the named schemas that others refer to. */
export type SchemaSink = Record<string, JsonSchema>;

const names = z.registry<{ id: string }>();
for (const [id, schema] of Object.entries(namedSchemas)) names.add(schema, { id });

const DEFINITION = '#/$defs/';
const COMPONENT = '#/components/schemas/';

interface ListSchema extends JsonSchema {
  $defs?: Record<string, JsonSchema>;
  items?: JsonSchema;
}

/** A zod schema as OpenAPI 3.1 takes it: what a client sends (`input`) or receives (`output`). */
export function toApiSchema(schema: z.ZodType, io: 'input' | 'output', sink: SchemaSink): JsonSchema {
  // Inside a list even a schema that has a name itself becomes a reference.
  const { $defs = {}, items = {} } = toJsonSchema(z.array(schema), { io, names }) as ListSchema;
  for (const [name, definition] of Object.entries($defs)) sink[name] = withComponents(definition);
  return withComponents(items);
}

/** `$ref`s of one schema's own definitions become those of the document. */
function withComponents<T>(value: T): T {
  return JSON.parse(
    JSON.stringify(value, (key, inner: unknown) =>
      key === '$ref' && typeof inner === 'string' && inner.startsWith(DEFINITION)
        ? COMPONENT + inner.slice(DEFINITION.length)
        : inner,
    ),
  ) as T;
}
