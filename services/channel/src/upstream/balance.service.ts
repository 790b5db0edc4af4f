import { Injectable } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { ChannelStatus, findChannelType } from '@tollgate/contracts';
import { AppError, Clock, KeyValue, Lifecycle, Logger, OutboundClient } from '@tollgate/chassis';
import { classifyError, isModestJson, secretsOf } from '@tollgate/providers';
import { ChannelKeys } from '../channel/channel-keys.js';
import { ChannelQueries } from '../channel/channel.queries.js';
import { Channel } from '../channel/channel.entity.js';
import { HealthService } from '../health/health.service.js';
import { type BalanceCall, type BillingAccount, findBalanceSource } from './balances.js';
import { proxyOf } from '../channel/channel-target.js';
import { eachOf } from './each-of.js';
import { RunLock } from './run-lock.js';

const LOCK_KEY = 'channel:balance-run';
const TIMEOUT_MS = 10_000;
const CONCURRENCY = 8;
const EMPTY_ACCOUNT = '余额不足';

/** Balances of the upstream accounts behind the channels. */
@Injectable()
export class BalanceService {
  constructor(
    private readonly em: EntityManager,
    private readonly queries: ChannelQueries,
    private readonly keys: ChannelKeys,
    private readonly outbound: OutboundClient,
    private readonly health: HealthService,
    private readonly keyValue: KeyValue,
    private readonly clock: Clock,
    private readonly lifecycle: Lifecycle,
    private readonly logger: Logger,
  ) {}

  async refresh(id: number): Promise<number> {
    const channel = await this.queries.get(id);
    const balance = await this.fetchBalance(channel);
    // With a new key or address meanwhile, it is the balance of another account.
    const same = { id, evidenceSince: channel.evidenceSince };
    await this.em.nativeUpdate(Channel, same, { balance, balanceUpdatedAt: new Date(this.clock.now()) });
    return balance;
  }

  /**
   * Refreshes the balance of every enabled channel whose type has a billing interface. A channel that does not answer
   * is skipped. A channel with an empty account is disabled even if automatic disabling on failures is off, since the
   * upstream itself has reported it; channels excluded from automatic disabling and channels that the brake holds stay
   * enabled. Calls `begun` before the first call. Begins no more calls once the service stops; otherwise calls `done` at
   * the end. Throws while another run is in progress, here or in another process.
   */
  async refreshAll({ begun, done }: { begun?: () => Promise<void>; done?: () => Promise<void> } = {}): Promise<void> {
    const lock = await RunLock.take(this.keyValue, LOCK_KEY);
    if (!lock) throw new AppError('conflict', 'balances-running', '余额更新已在运行中');
    try {
      await begun?.();
      const isEnded = () => this.lifecycle.draining || !lock.isHeld;
      await this.refreshEach(isEnded);
      if (!isEnded()) await done?.();
    } finally {
      await lock
        .release()
        .catch((error: unknown) => this.logger.warn('the lock of the balances was not released', { error }));
    }
  }

  private async refreshEach(isEnded: () => boolean): Promise<void> {
    const channels = await this.em.find(
      Channel,
      { status: ChannelStatus.enabled },
      { fields: ['id', 'type'], orderBy: { id: 'asc' } },
    );
    const ids = channels.filter(({ type }) => findBalanceSource(type) !== undefined).map(({ id }) => id);
    await eachOf(ids, CONCURRENCY, async (id) => {
      if (isEnded()) return;
      try {
        await this.refreshAndJudge(id);
      } catch (error) {
        this.logger.warn('the balance of a channel could not be refreshed', { channelId: id, error });
      }
    });
  }

  private async refreshAndJudge(id: number): Promise<void> {
    const observedAt = new Date(this.clock.now());
    const balance = await this.refresh(id);
    if (balance > 0) return;
    await this.health.apply(id, observedAt, ({ status, autoBan }) =>
      status === ChannelStatus.enabled && autoBan
        ? {
            to: ChannelStatus.autoDisabled,
            cause: 'balance',
            reason: EMPTY_ACCOUNT,
            evidence: { balance, observedAt: observedAt.toISOString() },
          }
        : undefined,
    );
  }

  private async fetchBalance(channel: Channel): Promise<number> {
    if (channel.keyMode !== '') throw new AppError('invalid', 'balance-of-several-keys', '多密钥渠道不支持余额查询');
    const source = findBalanceSource(channel.type);
    if (!source) throw new AppError('invalid', 'balance-not-supported', '尚未实现', { params: { type: channel.type } });
    const baseUrl = channel.baseUrl || (findChannelType(channel.type)?.baseUrl ?? '');
    const account: BillingAccount = { baseUrl, key: this.keys.open(channel) };
    const first = await this.call(channel, account, source.first(account));
    try {
      const second =
        source.second && (await this.call(channel, account, source.second(account, first, new Date(this.clock.now()))));
      return source.balanceOf(first, second);
    } catch (error) {
      if (error instanceof AppError) throw error;
      throw new AppError('upstream', 'balance-unreadable', '无法解析上游返回的余额', { cause: error });
    }
  }

  private async call(channel: Channel, { key }: BillingAccount, { url, headers }: BalanceCall): Promise<unknown> {
    const { type, baseUrl, organization } = channel;
    const proxy = proxyOf(channel);
    const { status, body } = await this.outbound.send({ kind: 'channel', url, headers, timeoutMs: TIMEOUT_MS, proxy });
    if (status !== 200) {
      const { message } = classifyError({
        status,
        body,
        channelType: type,
        secrets: secretsOf({ key, baseUrl, organization }),
      });
      throw new AppError('upstream', 'balance-refused', message, { params: { status, reason: message } });
    }
    try {
      const text = body.toString('utf8');
      if (!isModestJson(text)) throw new SyntaxError('JSON is nested too deeply or has too many values');
      return JSON.parse(text) as unknown;
    } catch (error) {
      throw new AppError('upstream', 'balance-unreadable', '无法解析上游返回的余额', { cause: error });
    }
  }
}
