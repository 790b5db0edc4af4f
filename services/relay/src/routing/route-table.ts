import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { ChannelStatus, getRouting, pollChannel, type RoutedChannel } from '@tollgate/contracts';
import { ReadModels, InternalClient, Lifecycle } from '@tollgate/chassis';
import { pricedName } from '@tollgate/pricing';
import { ChannelBreakers } from './channel-breakers.js';

const TOPICS = ['channel-changed', 'channel-disabled', 'channel-enabled'];

type ByModel = Map<string, RoutedChannel[]>;

/** All channels in memory, indexed by group and model, so the cost of a look-up does not depend on their number. */
@Injectable()
export class RouteTable {
  private channels = new Map<number, RoutedChannel>();
  private byGroup = new Map<string, ByModel>();
  private names: ReadonlySet<string> = new Set();
  private revision = -1;

  constructor(
    private readonly internal: InternalClient,
    private readonly breakers: ChannelBreakers,
    readModels: ReadModels,
    lifecycle: Lifecycle,
  ) {
    lifecycle.onReady(() => this.refresh());
    readModels.follow({
      owner: 'channel',
      topics: TOPICS,
      name: 'routing',
      revision: () => this.revision,
      catchUp: () => this.poll(),
    });
  }

  candidates(group: string, model: string): readonly RoutedChannel[] {
    const byModel = this.byGroup.get(group);
    // A custom GPT is served by the channels of its family, under the requested name.
    return byModel?.get(model) ?? byModel?.get(pricedName(model)) ?? [];
  }

  /** Whether some channel, enabled or not, names the model. Only operators can create such names. */
  knows(model: string): boolean {
    return this.names.has(model);
  }

  channel(id: number): RoutedChannel | undefined {
    return this.channels.get(id);
  }

  /** The models with an enabled channel in the group. */
  modelsOf(group: string): string[] {
    return [...(this.byGroup.get(group)?.keys() ?? [])];
  }

  /**
   * Checks for newer routes. Called before a request is refused for lack of a channel, so that one created a moment ago
   * counts.
   */
  async poll(): Promise<void> {
    const { routingRevision } = await this.internal.call(pollChannel, {});
    if (routingRevision !== this.revision) await this.refresh();
  }

  private async refresh(): Promise<void> {
    const { revision, channels } = await this.internal.call(getRouting, {});
    if (revision < this.revision) return;
    const before = this.channels;
    this.channels = new Map(channels.map((channel) => [channel.id, channel]));
    this.breakers.forget((id) => !isDeepStrictEqual(before.get(id), this.channels.get(id)));
    this.byGroup = indexOf(channels);
    this.names = new Set(channels.flatMap(({ models }) => models));
    this.revision = revision;
  }
}

function indexOf(channels: readonly RoutedChannel[]): Map<string, ByModel> {
  const byGroup = new Map<string, ByModel>();
  for (const channel of channels) {
    if (channel.status !== ChannelStatus.enabled) continue;
    for (const group of channel.groups) {
      const byModel = byGroup.get(group) ?? new Map<string, RoutedChannel[]>();
      byGroup.set(group, byModel);
      for (const model of channel.models) entryOf(byModel, model).push(channel);
    }
  }
  return byGroup;
}

function entryOf(byModel: ByModel, model: string): RoutedChannel[] {
  let served = byModel.get(model);
  if (!served) byModel.set(model, (served = []));
  return served;
}
