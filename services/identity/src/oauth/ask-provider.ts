import { AppError, type OutboundClient, type OutboundRequest } from '@tollgate/chassis';
import type { z } from 'zod';

const TIMEOUT_MS = 5_000;
const MAX_BYTES = 256 * 1024;

/**
 * One JSON call of a provider. Undefined when it answers anything but what was expected; throws `address-not-allowed`, or
 * `provider-unreachable` with the given words.
 */
export async function askProvider<Schema extends z.ZodType>(
  outbound: OutboundClient,
  request: Omit<OutboundRequest, 'kind'>,
  { schema, unreachable }: { schema: Schema; unreachable: string },
): Promise<z.output<Schema> | undefined> {
  const headers = { accept: 'application/json', 'user-agent': 'Tollgate', ...request.headers };
  try {
    const reply = await outbound.send({
      timeoutMs: TIMEOUT_MS,
      maxBytes: MAX_BYTES,
      ...request,
      kind: 'admin',
      headers,
    });
    return schema.safeParse(parse(reply.body)).data;
  } catch (error) {
    if (error instanceof AppError && error.code === 'address-not-allowed') throw error;
    throw new AppError('upstream', 'provider-unreachable', unreachable, { cause: error });
  }
}

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8')) as unknown;
  } catch {
    return undefined;
  }
}

export const providerRefused = (message: string): AppError => new AppError('upstream', 'provider-refused', message);
