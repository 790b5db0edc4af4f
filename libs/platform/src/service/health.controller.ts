import { Controller, Get, Header, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { RawReply } from '../http/reply.js';
import { Metrics } from '../metrics/metrics.js';
import { Lifecycle } from './lifecycle.js';

/** Liveness says that the process answers; readiness that it wants traffic. Neither asks a dependency. */
@Controller()
export class HealthController {
  constructor(
    private readonly lifecycle: Lifecycle,
    private readonly metrics: Metrics,
  ) {}

  @Get('/healthz')
  live(): RawReply {
    return new RawReply({ status: 'ok' });
  }

  @Get('/readyz')
  ready(): RawReply {
    const { accepting } = this.lifecycle;
    return new RawReply({ status: accepting ? 'ready' : 'not ready' }, accepting ? 200 : 503);
  }

  @Get('/metrics')
  @Header('content-type', 'text/plain; version=0.0.4')
  async exposition(@Res() reply: FastifyReply): Promise<void> {
    await reply.send(await this.metrics.registry.metrics());
  }
}
