import { EntityManager } from '@mikro-orm/postgresql';
import { Controller } from '@nestjs/common';
import { routes } from '@tollgate/contracts';
import type { Release, Status } from '@tollgate/contracts/api/status';
import { AppError, Clock, Host, Message, OptionStore, productVersion, Route } from '@tollgate/chassis';
import { SetupService } from '../setup/setup.service.js';
import { Releases } from './releases.js';
import { toStatus } from './status.reply.js';

/** Within this time, at most one query is sent to the database; calls in between get its result. */
const TEST_INTERVAL_MS = 10_000;

@Controller()
export class StatusController {
  private lastTest?: { at: number; outcome: Promise<boolean> };

  constructor(
    private readonly em: EntityManager,
    private readonly options: OptionStore,
    private readonly setup: SetupService,
    private readonly host: Host,
    private readonly clock: Clock,
    private readonly releases: Releases,
  ) {}

  @Route(routes.getStatus)
  async status(): Promise<Status> {
    const isSetUp = await this.setup.isDone();
    const { startedAt, address } = this.host;
    return toStatus(this.options, { version: productVersion, startedAt, isSetUp, address });
  }

  @Route(routes.testStatus)
  async test(): Promise<Message> {
    const now = this.clock.monotonic();
    if (!this.lastTest || now - this.lastTest.at >= TEST_INTERVAL_MS) this.lastTest = { at: now, outcome: this.ping() };
    if (await this.lastTest.outcome) return new Message('Server is running');
    throw new AppError('unavailable', 'database-unreachable', '数据库连接失败');
  }

  @Route(routes.checkUpdate)
  checkUpdate(): Promise<Release> {
    return this.releases.newest();
  }

  @Route(routes.getNotice)
  notice(): string {
    return this.options.text('Notice');
  }

  @Route(routes.getAbout)
  about(): string {
    return this.options.text('About');
  }

  @Route(routes.getHomePageContent)
  homePageContent(): string {
    return this.options.text('HomePageContent');
  }

  private async ping(): Promise<boolean> {
    try {
      await this.em.execute('select 1');
      return true;
    } catch {
      return false;
    }
  }
}
