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

/** Converts a zod schema to OpenAPI 3.1, as sent by a client (`input`) or received by it (`output`). */
export function toApiSchema(schema: z.ZodType, io: 'input' | 'output', sink: SchemaSink): JsonSchema {
  // Wrapped in an array, because only then a schema that has a name itself is emitted as a reference.
  const { $defs = {}, items = {} } = toJsonSchema(z.array(schema), { io, names }) as ListSchema;
  for (const [name, definition] of Object.entries($defs)) sink[name] = withComponents(definition);
  return withComponents(items);
}

/** Rewrites `$ref`s to a schema's own definitions into `$ref`s to the document's components. */
function withComponents<T>(value: T): T {
  return JSON.parse(
    JSON.stringify(value, (key, inner: unknown) =>
      key === '$ref' && typeof inner === 'string' && inner.startsWith(DEFINITION)
        ? COMPONENT + inner.slice(DEFINITION.length)
        : inner,
    ),
  ) as T;
}
