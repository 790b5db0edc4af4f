import { EntityManager } from '@mikro-orm/postgresql';
import { Controller } from '@nestjs/common';
import { DEMONSTRATION_URL, demonstrationModels, routes } from '@tollgate/contracts';
import type { Demonstration } from '@tollgate/contracts/api/channel';
import { AppError, type Caller, CurrentCaller, OutboundClient, Route } from '@tollgate/chassis';
import { Channel } from './channel.entity.js';
import { ChannelService } from './channel.service.js';

/** Nobody checks it. */
const KEY = 'demonstration';
const NAME = '演示渠道 (demo)';
/** The least there is: whoever has a real channel of the same model is not answered by a demonstration. */
const STANDS_BACK = -999;

/** A channel for people without a provider key, at the provider for demonstrations that comes with the product. */
@Controller()
export class DemonstrationController {
  constructor(
    private readonly em: EntityManager,
    private readonly channels: ChannelService,
    private readonly outbound: OutboundClient,
  ) {}

  @Route(routes.getDemonstration)
  async get(): Promise<Demonstration> {
    const [id = 0] = await idsIn(this.em);
    return { available: this.outbound.hasDemonstration, channel_id: id };
  }

  /** There is one at most, however often it is asked for. */
  @Route(routes.createDemonstration)
  async create(@CurrentCaller() caller: Caller): Promise<Demonstration> {
    if (!this.outbound.hasDemonstration) {
      const text = '演示渠道未启用，请设置环境变量 TOLLGATE_DEMONSTRATION=on';
      throw new AppError('invalid', 'demonstration-off', text, { params: { variable: 'TOLLGATE_DEMONSTRATION' } });
    }
    const [id = 0] = await this.channels.create(form(), caller, async (em) => {
      await em.execute(`select pg_advisory_xact_lock(hashtextextended('demonstration-channel', 0))`);
      return idsIn(em);
    });
    return { available: true, channel_id: id };
  }
}

async function idsIn(em: EntityManager): Promise<number[]> {
  const channels = await em.find(Channel, { baseUrl: DEMONSTRATION_URL }, { orderBy: { id: 'asc' }, limit: 1 });
  return channels.map(({ id }) => id);
}

const form = () => ({
  name: NAME,
  type: 1,
  key: KEY,
  base_url: DEMONSTRATION_URL,
  models: demonstrationModels.join(','),
  group: 'default',
  tag: 'demo',
  priority: STANDS_BACK,
});
