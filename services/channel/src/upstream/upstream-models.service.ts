import { Injectable } from '@nestjs/common';
import { findChannelType } from '@tollgate/contracts';
import type { fetchModelsSchema } from '@tollgate/contracts/api/channel';
import { AppError, Clock, Host, OptionStore, OutboundClient } from '@tollgate/chassis';
import { classifyError, dialectSettings, findProvider, maskSecrets } from '@tollgate/providers';
import type { z } from 'zod';
import { ChannelKeys } from '../channel/channel-keys.js';
import { keysOf } from '../channel/channel-fields.js';
import { checkKeyText, checkOther } from '../channel/channel-rules.js';
import { ChannelQueries } from '../channel/channel.queries.js';
import { type Account, accountTarget, proxyOf, secretsOfAccount } from '../channel/channel-target.js';

const TIMEOUT_MS = 15_000;

/** Fetches the upstream's list of models for the console's form. */
@Injectable()
export class UpstreamModelsService {
  constructor(
    private readonly queries: ChannelQueries,
    private readonly keys: ChannelKeys,
    private readonly options: OptionStore,
    private readonly outbound: OutboundClient,
    private readonly clock: Clock,
    private readonly host: Host,
  ) {}

  async ofChannel(id: number): Promise<string[]> {
    const channel = await this.queries.get(id);
    const { type, baseUrl, organization, other } = channel;
    return this.fetch({ type, baseUrl, organization, other, key: this.keys.pick(channel).key }, proxyOf(channel));
  }

  /** The models for a channel that is not saved yet, fetched with the first of its keys. */
  async ofForm(form: z.output<typeof fetchModelsSchema>): Promise<string[]> {
    const { type, base_url: baseUrl, key } = form;
    const [firstKey = ''] = keysOf(key, findChannelType(type)?.keyIsJson === true);
    checkKeyText(type, firstKey);
    const account = {
      type,
      baseUrl: baseUrl?.trim().replace(/\/+$/, '') ?? '',
      key: firstKey,
      organization: '',
      other: form.other?.trim() ?? '',
    };
    return this.fetch(account, proxyOf({ setting: form.setting ?? '' }));
  }

  private async fetch(account: Account, proxy: string): Promise<string[]> {
    const adapter = findProvider(account.type)?.models;
    if (!adapter)
      throw new AppError('invalid', 'models-not-supported', '该渠道类型不支持获取模型列表', {
        status: 200,
        params: { type: account.type },
      });
    checkOther(account);
    const { method, url, headers, body } = adapter.toUpstream(
      accountTarget(
        account,
        dialectSettings(this.options, { ...this.host.env, FORCE_STREAM_OPTION: false }),
        this.clock.now(),
      ),
    );
    const call = { method, url, headers, body, timeoutMs: TIMEOUT_MS, proxy };
    const reply = await this.outbound.send({ kind: 'channel', ...call });
    const secrets = secretsOfAccount(account);
    if (reply.status !== 200)
      throw unfetched(
        classifyError({ status: reply.status, body: reply.body, channelType: account.type, secrets }).message,
      );
    try {
      return adapter.fromReply(reply.body);
    } catch (error) {
      throw unfetched(maskSecrets((error as Error).message, secrets), error);
    }
  }
}

const unfetched = (reason: string, cause?: unknown): AppError =>
  new AppError('upstream', 'models-not-fetched', `获取模型列表失败：${reason}`, { cause, params: { reason } });
