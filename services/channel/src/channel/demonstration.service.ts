import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { DEMONSTRATION_URL, demonstrationModels } from '@tollgate/contracts';
import { AppError, type Caller, OutboundClient } from '@tollgate/chassis';
import { Channel } from './channel.entity.js';
import { ChannelService } from './channel.service.js';

/** The demonstration provider accepts any key. */
const KEY = 'demonstration';
const NAME = '演示渠道 (demo)';
/** The lowest priority there is, so that a real channel for the same model is always preferred. */
const STANDS_BACK = -999;

/** The channel to the demonstration provider that comes with the product, for people without a provider key. */
@Injectable()
export class DemonstrationService {
  constructor(
    private readonly em: EntityManager,
    private readonly channels: ChannelService,
    private readonly outbound: OutboundClient,
  ) {}

  get isAvailable(): boolean {
    return this.outbound.hasDemonstration;
  }

  /** 0 if there is none. */
  async channelId(): Promise<number> {
    const [id = 0] = await idsIn(this.em);
    return id;
  }

  /** The id of the channel, which is created if there is none yet. */
  async create(caller: Caller): Promise<number> {
    if (!this.isAvailable) {
      const text = '演示渠道未启用，请设置环境变量 TOLLGATE_DEMONSTRATION=on';
      throw new AppError('invalid', 'demonstration-off', text, { params: { variable: 'TOLLGATE_DEMONSTRATION' } });
    }
    const [id = 0] = await this.channels.create(form(), caller, async (em) => {
      await em.execute(`select pg_advisory_xact_lock(hashtextextended('demonstration-channel', 0))`);
      return idsIn(em);
    });
    return id;
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
