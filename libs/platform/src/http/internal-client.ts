import type { InternalCall, ServiceName } from '@tollgate/contracts';
import type { FastifyInstance } from 'fastify';
import type { z } from 'zod';
import type { SecretBox } from '../crypto/secret-box.js';
import { AppError } from '../errors/app-error.js';
import { inFreshContext } from '../events/fresh-context.js';
import { SERVICE_HEADER, SERVICE_PURPOSE } from './caller.js';

/** JSON calls between services. A refusal of the other side arrives as the same `AppError`; silence as kind `unavailable`. */
export abstract class InternalClient {
  abstract call<Input extends z.ZodType, Output extends z.ZodType>(
    call: InternalCall<Input, Output>,
    input: z.input<Input>,
  ): Promise<z.output<Output>>;
}

const refusal = (body: unknown): AppError => {
  const {
    kind = 'internal',
    code = 'internal',
    message = 'internal call failed',
    params,
    fields,
    retryAfter,
  } = body as Partial<AppError> & AppError['details'];
  return new AppError(kind, code, message, { params, fields, retryAfter });
};

/** One process: the routes of the owner's Fastify instance, without a socket. */
export class InProcessInternalClient extends InternalClient {
  constructor(
    private readonly instances: ReadonlyMap<ServiceName, FastifyInstance>,
    private readonly secrets: SecretBox,
    private readonly source: ServiceName,
  ) {
    super();
  }

  async call<Input extends z.ZodType, Output extends z.ZodType>(
    call: InternalCall<Input, Output>,
    input: z.input<Input>,
  ): Promise<z.output<Output>> {
    const instance = this.instances.get(call.service);
    if (!instance)
      throw new AppError('unavailable', 'service-unreachable', '服务暂不可用，请稍后重试', {
        params: { service: call.service },
      });
    const reply = await inFreshContext(() =>
      instance.inject({
        method: 'POST',
        url: `/internal/${call.name}`,
        headers: {
          'content-type': 'application/json',
          [SERVICE_HEADER]: this.secrets.sign(SERVICE_PURPOSE, {
            service: this.source,
            exp: Math.floor(Date.now() / 1000) + 30,
          }),
        },
        payload: JSON.stringify(input),
      }),
    );
    const body: unknown = JSON.parse(reply.payload);
    if (reply.statusCode !== 200) throw refusal(body);
    return call.output.parse(body);
  }
}
