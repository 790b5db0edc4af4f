import type { z } from 'zod';

/** The JSON of another server's reply; `undefined` when it is none, or does not match the schema. */
export function parseReply<Schema extends z.ZodType>(schema: Schema, body: Buffer): z.output<Schema> | undefined {
  try {
    return schema.safeParse(JSON.parse(body.toString('utf8'))).data;
  } catch {
    return undefined;
  }
}
