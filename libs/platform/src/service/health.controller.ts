import { Controller, Get } from '@nestjs/common';
import { RawReply } from '../http/reply.js';
import { exposition, EXPOSITION_TYPE } from '../metrics/exposition.js';
import { Host } from './host.js';
import { Lifecycle } from './lifecycle.js';
import { productVersion } from './version.js';

/** Liveness says that the process answers; readiness that it wants traffic. Neither asks a dependency. */
@Controller()
export class HealthController {
  constructor(
    private readonly lifecycle: Lifecycle,
    private readonly host: Host,
  ) {}

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
    const { accepting } = this.lifecycle;
    return new RawReply({ status: accepting ? 'ready' : 'not ready' }, accepting ? 200 : 503);
  }

  /** Of all services of the process, since they share one port. */
  @Get('/metrics')
  async metrics(): Promise<RawReply> {
    const text = await exposition(this.host.metrics.values());
    return new RawReply(text, 200, { 'content-type': EXPOSITION_TYPE, 'cache-control': 'no-store' });
  }
}
