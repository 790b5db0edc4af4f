import { EntityManager } from '@mikro-orm/postgresql';
import { Controller } from '@nestjs/common';
import { DEMONSTRATION_URL, demonstrationModels, routes } from '@tollgate/contracts';
import type { Demonstration } from '@tollgate/contracts/api/channel';
import { AppError, type Caller, CurrentCaller, OutboundClient, Route } from '@tollgate/chassis';
import { Channel } from './channel.entity.js';
import { ChannelService } from './channel.service.js';

/** The demonstration provider accepts any key. */
const KEY = 'demonstration';
const NAME = '演示渠道 (demo)';
/** The lowest priority there is, so that a real channel for the same model is always preferred. */
const STANDS_BACK = -999;

/** Creates a channel to the demonstration provider that comes with the product, for people without a provider key. */
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

  /** Creates the channel if there is none yet. */
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
