import { setTimeout as pause } from 'node:timers/promises';
import type { InternalCall } from '@tollgate/contracts';
import { request } from 'undici';
import type { z } from 'zod';
import { AppError } from '../errors/app-error.js';
import { inSpan } from '../tracing/tracing.js';
import { appErrorOf, asking, type CallPass, InternalClient, replyOf, unreachableService } from './internal-client.js';
import { neverConnected, type Replica, type ServiceDirectory } from './service-directory.js';

interface HttpInternalClientOptions {
  directory: ServiceDirectory;
  pass: CallPass;
  /** While it returns true, calls to a service that accepts no connection are retried, so that services may start in any order. */
  isPatient?: () => boolean;
  onAnswer?: (target: string, outcome: 'answered' | 'refused' | 'failed', seconds: number) => void;
}

const TIMEOUT_MS = 10_000;
const PATIENCE_MS = 60_000;
const PATIENCE_PAUSE_MS = 250;

/**
 * JSON calls to services in other processes. Another replica is tried only when no connection was established; once a request may have
 * arrived, the caller decides what its failure means.
 */
export class HttpInternalClient extends InternalClient {
  constructor(private readonly options: HttpInternalClientOptions) {
    super();
  }

  async call<Input extends z.ZodType, Output extends z.ZodType>(
    call: InternalCall<Input, Output>,
    input: z.input<Input>,
  ): Promise<z.output<Output>> {
    const started = performance.now();
    const body = JSON.stringify(input);
    const count = (outcome: 'answered' | 'refused' | 'failed'): void =>
      this.options.onAnswer?.(call.service, outcome, (performance.now() - started) / 1000);
    try {
      const reply = await inSpan(`ask ${call.name}`, asking(call), () => this.sendPatiently(call, body));
      if (reply.status !== 200) throw appErrorOf(reply.body);
      const output = replyOf(call, reply.body);
      count('answered');
      return output;
    } catch (error) {
      count(error instanceof AppError && error.kind !== 'unavailable' ? 'refused' : 'failed');
      throw error;
    }
  }

  private async sendPatiently(call: InternalCall, body: string): Promise<{ status: number; body: unknown }> {
    const deadline = performance.now() + PATIENCE_MS;
    for (;;) {
      try {
        return await this.sendToAny(call, body);
      } catch (error) {
        const { cause } = error as AppError;
        const isWorthWaiting = cause !== undefined && neverConnected(cause) && this.options.isPatient?.();
        if (!isWorthWaiting || performance.now() > deadline) throw error;
        await pause(PATIENCE_PAUSE_MS);
      }
    }
  }

  private async sendToAny(call: InternalCall, body: string): Promise<{ status: number; body: unknown }> {
    const { directory } = this.options;
    let failure: unknown;
    for (const replica of directory.inTurn(call.service)) {
      try {
        return await this.send(replica, call, body);
      } catch (error) {
        failure = error;
        if (!neverConnected(error)) break;
        directory.eject(replica, error);
      }
    }
    throw unreachableService(call.service, failure);
  }

  private async send(replica: Replica, call: InternalCall, body: string): Promise<{ status: number; body: unknown }> {
    const reply = await request(`${replica.origin}/internal/${call.name}`, {
      method: 'POST',
      dispatcher: replica.pool,
      headers: { 'content-type': 'application/json', ...this.options.pass.headers() },
      body,
      headersTimeout: TIMEOUT_MS,
      bodyTimeout: TIMEOUT_MS,
    });
    const text = await reply.body.text();
    try {
      return { status: reply.statusCode, body: JSON.parse(text) as unknown };
    } catch (error) {
      throw new Error(`${replica.origin} answered ${reply.statusCode} without JSON`, { cause: error });
    }
  }
}
