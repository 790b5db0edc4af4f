import { Injectable } from '@nestjs/common';
import { AppError, Logger, OutboundClient, type OutboundRequest } from '@tollgate/chassis';
import type { z } from 'zod';

const TIMEOUT_MS = 5_000;
const MAX_BYTES = 256 * 1024;

interface Expected<Schema> {
  schema: Schema;
  /** The documented words for whoever came to sign in. */
  unreachable: string;
}

/** Calls of providers that visitors bring about. Why one failed is the operator's to know, and stands in the log. */
@Injectable()
export class ProviderCalls {
  constructor(
    private readonly outbound: OutboundClient,
    private readonly logger: Logger,
  ) {}

  /** Undefined when it answers anything but what was expected; throws `provider-unreachable`. */
  async ask<Schema extends z.ZodType>(
    request: Omit<OutboundRequest, 'kind'>,
    { schema, unreachable }: Expected<Schema>,
  ): Promise<z.output<Schema> | undefined> {
    const headers = { accept: 'application/json', 'user-agent': 'Tollgate', ...request.headers };
    const limits = { timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES };
    try {
      const reply = await this.outbound.send({ ...limits, ...request, kind: 'admin', headers });
      return schema.safeParse(parse(reply.body)).data;
    } catch (error) {
      this.logger.warn('a provider of identities was not reached', { origin: originOf(request.url), error });
      throw new AppError('upstream', 'provider-unreachable', unreachable, { cause: error });
    }
  }
}

/** The origin of a URL, for logs: path and query hold the code of whoever signs in. */
const originOf = (url: string): string => URL.parse(url)?.origin ?? '';

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8')) as unknown;
  } catch {
    return undefined;
  }
}

export const providerRefused = (message: string): AppError => new AppError('upstream', 'provider-refused', message);
