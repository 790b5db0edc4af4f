import { Controller, Get, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { AppError } from '../errors/app-error.js';
import { RawReply } from '../http/reply.js';
import { exposition, EXPOSITION_TYPE, Scrapes } from '../metrics/exposition.js';
import { Clock } from './clock.js';
import { Host } from './host.js';
import { Lifecycle } from './lifecycle.js';
import { BY_PROBE_PORT } from './probe-port.js';
import { readiness } from './readiness.js';
import { productVersion } from '../config/version.js';

/** Liveness means that the process answers, readiness that it accepts traffic. Neither checks a dependency. */
@Controller()
export class HealthController {
  private readonly scrapes: Scrapes;

  constructor(
    private readonly lifecycle: Lifecycle,
    private readonly host: Host,
    clock: Clock,
  ) {
    this.scrapes = new Scrapes(
      () => exposition(host.metrics.values()),
      () => clock.monotonic(),
    );
  }

  @Get('/healthz')
  live(): RawReply {
    const { startedAt, instances } = this.host;
    return new RawReply({
      status: 'ok',
      version: productVersion,
      started_at: startedAt,
      services: [...instances.keys()],
    });
  }

  @Get('/readyz')
  ready(): RawReply {
    const { status, body } = readiness(this.lifecycle.accepting);
    return new RawReply(body, status);
  }

  /**
   * Metrics of all services of the process, since they share one port. They reveal the volume of business, so they are not public by
   * default.
   */
  @Get('/metrics')
  async metrics(@Req() { raw }: FastifyRequest): Promise<RawReply> {
    if (!(BY_PROBE_PORT in raw) && this.host.env.TOLLGATE_PUBLIC_METRICS === 'off')
      throw new AppError('not-found', 'unknown-path', '接口不存在', { status: 404 });
    return new RawReply(await this.scrapes.read(), 200, {
      'content-type': EXPOSITION_TYPE,
      'cache-control': 'no-store',
    });
  }
}
