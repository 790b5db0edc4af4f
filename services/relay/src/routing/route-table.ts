import { Injectable } from '@nestjs/common';
import { ChannelStatus, getRouting, pollChannel, type RoutedChannel } from '@tollgate/contracts';
import { ReadModels, InternalClient, Lifecycle } from '@tollgate/chassis';
import { pricedName } from '@tollgate/pricing';

const TOPICS = ['channel-changed', 'channel-disabled', 'channel-enabled'];

type ByModel = Map<string, RoutedChannel[]>;

/** All channels in memory, indexed by group and model: a look-up costs the same however many there are. */
@Injectable()
export class RouteTable {
  private channels = new Map<number, RoutedChannel>();
  private byGroup = new Map<string, ByModel>();
  private names: ReadonlySet<string> = new Set();
  private revision = -1;

  constructor(
    private readonly internal: InternalClient,
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
    // Custom GPTs are served by whoever serves their family; what is sent upstream is the name as asked for.
    return byModel?.get(model) ?? byModel?.get(pricedName(model)) ?? [];
  }

  /** Whether some channel, on or off, names the model: nobody but an operator can make such a name up. */
  knows(model: string): boolean {
    return this.names.has(model);
  }

  channel(id: number): RoutedChannel | undefined {
    return this.channels.get(id);
  }

  /** Models with an enabled channel in the group. */
  modelsOf(group: string): string[] {
    return [...(this.byGroup.get(group)?.keys() ?? [])];
  }

  /** Called before a request is refused for want of a channel: a channel made a moment ago counts. */
  async poll(): Promise<void> {
    const { routingRevision } = await this.internal.call(pollChannel, {});
    if (routingRevision !== this.revision) await this.refresh();
  }

  private async refresh(): Promise<void> {
    const { revision, channels } = await this.internal.call(getRouting, {});
    if (revision < this.revision) return;
    this.channels = new Map(channels.map((channel) => [channel.id, channel]));
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
