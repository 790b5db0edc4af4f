import { Controller } from '@nestjs/common';
import { channelTested, type EventBatch, resolveUsers } from '@tollgate/contracts';
import { InternalClient, OptionStore } from '@tollgate/chassis';
import { OnEvent } from '@tollgate/database';
import { TESTER, toTestDraft } from '../log/channel-test-row.js';
import { LogWriter } from '../store/log-writer.js';
import { PriceVersions } from '../log/price-versions.js';
import { UsageAnnouncer } from '../log/usage-announcer.js';
import { Rollup } from '../stat/rollup.js';

/** Successful channel tests become log rows of the first user, who is not charged for them. */
@Controller()
export class ChannelTestedConsumer {
  constructor(
    private readonly writer: LogWriter,
    private readonly prices: PriceVersions,
    private readonly rollup: Rollup,
    private readonly internal: InternalClient,
    private readonly options: OptionStore,
    private readonly announcer: UsageAnnouncer,
  ) {}

  @OnEvent(channelTested)
  async log(batch: EventBatch<typeof channelTested>): Promise<void> {
    const isTold = batch.some(({ data }) => data.success && data.answer !== undefined);
    if (!isTold || !this.options.get('LogConsumeEnabled')) return;
    const [group, prices] = await Promise.all([this.groupOfTester(), this.prices.current()]);
    const drafts = batch.flatMap((event) => toTestDraft(event, group, prices) ?? []);
    const names = await this.writer.resolveNames(drafts);
    const written = await this.writer.transactional(async (em) => {
      const fresh = await this.writer.write(em, drafts, names);
      await this.rollup.addUsage(em, fresh, this.options.get('DataExportEnabled'));
      return fresh;
    });
    this.announcer.announce(written);
  }

  /** Empty if the user has been deleted. */
  private async groupOfTester(): Promise<string> {
    const { users } = await this.internal.call(resolveUsers, { ids: [TESTER] });
    return users[0]?.group ?? '';
  }
}
