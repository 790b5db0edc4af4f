import { Injectable } from '@nestjs/common';
import { AppError, Logger, OutboundClient, type OutboundRequest } from '@tollgate/chassis';
import type { z } from 'zod';
import { parseReply } from '../parse-reply.js';

const TIMEOUT_MS = 5_000;
const MAX_BYTES = 256 * 1024;

interface Expected<Schema> {
  schema: Schema;
  /** The documented message for the visitor. */
  unreachable: string;
}

/**
 * Calls to identity providers on behalf of visitors. The reason of a failure is for the operator, so it
 * goes to the log only.
 */
@Injectable()
export class ProviderCalls {
  constructor(
    private readonly outbound: OutboundClient,
    private readonly logger: Logger,
  ) {}

  /**
   * Returns `undefined` when the reply does not match the schema; throws `provider-unreachable` when there is no reply.
   */
  async call<Schema extends z.ZodType>(
    request: Omit<OutboundRequest, 'kind'>,
    { schema, unreachable }: Expected<Schema>,
  ): Promise<z.output<Schema> | undefined> {
    const headers = { accept: 'application/json', 'user-agent': 'Tollgate', ...request.headers };
    const limits = { timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES };
    try {
      const reply = await this.outbound.send({ ...limits, ...request, kind: 'admin', headers });
      return parseReply(schema, reply.body);
    } catch (error) {
      this.logger.warn('a provider of identities was not reached', { origin: originOf(request.url), error });
      throw new AppError('upstream', 'provider-unreachable', unreachable, { cause: error });
    }
  }
}

/** The origin of a URL, for logs: path and query contain the visitor's code. */
const originOf = (url: string): string => URL.parse(url)?.origin ?? '';

export const providerRefused = (message: string): AppError => new AppError('upstream', 'provider-refused', message);
