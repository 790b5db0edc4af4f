import { z } from 'zod';

export type JsonSchema = Record<string, unknown>;

interface JsonSchemaOptions {
  /** The schema of what a client sends (`input`) or receives (`output`). */
  io: 'input' | 'output';
  /** Schemas to emit as separate definitions. */
  names?: z.core.$ZodRegistry<{ id: string }>;
  target?: 'draft-2020-12' | 'draft-7';
}

/** The JSON Schema of a zod schema, without the generator's redundant keywords. */
export function toJsonSchema(
  schema: z.ZodType,
  { io, names, target = 'draft-2020-12' }: JsonSchemaOptions,
): JsonSchema {
  return z.toJSONSchema(schema, {
    io,
    target,
    metadata: names ?? z.registry(),
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => tidy(zodSchema, jsonSchema as JsonSchema, io),
  }) as JsonSchema;
}

function tidy(zodSchema: z.core.$ZodType, json: JsonSchema, io: 'input' | 'output'): void {
  delete json.id;
  // `format` already implies the pattern.
  if (json.format !== undefined) delete json.pattern;
  if (json.minimum === Number.MIN_SAFE_INTEGER) delete json.minimum;
  if (json.maximum === Number.MAX_SAFE_INTEGER) delete json.maximum;
  const { def } = zodSchema._zod;
  if (def.type !== 'object') return;
  // Fields may be added to every reply and event.
  if (json.additionalProperties === false) delete json.additionalProperties;
  if (io === 'input') requireWhatIsNeeded((def as z.core.$ZodObjectDef).shape, json);
}

/** The generator lists fields with defaults as required even in inputs where they may be absent. */
function requireWhatIsNeeded(shape: z.core.$ZodShape, json: JsonSchema): void {
  const required = Object.keys(shape).filter((key) => {
    const field = shape[key];
    return field !== undefined && !z.safeParse(field, undefined).success;
  });
  if (required.length > 0) json.required = required;
  else delete json.required;
}
