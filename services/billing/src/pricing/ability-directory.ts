import { Injectable } from '@nestjs/common';
import { getAbilities } from '@tollgate/contracts';
import {
  broadcastChannel,
  ReadModels,
  followRevisions,
  InternalClient,
  KeyValue,
  Lifecycle,
  Logger,
} from '@tollgate/chassis';

export interface Ability {
  group: string;
  model: string;
}

/** Which (group, model) pairs the channel service can serve, as of its routing revision. */
@Injectable()
export class AbilityDirectory {
  private abilities: readonly Ability[] | undefined;
  private revision = -1;

  constructor(
    private readonly internal: InternalClient,
    readModels: ReadModels,
    keyValue: KeyValue,
    lifecycle: Lifecycle,
    logger: Logger,
  ) {
    const poll = (): Promise<void> => this.refresh();
    // Nothing is behind before it was asked for once.
    const revision = (): number => (this.abilities ? this.revision : Infinity);
    readModels.add({ name: 'routing', revision, catchUp: poll });
    const look = followRevisions(
      { lifecycle, logger, keyValue },
      { owner: 'channel', name: 'ability poll', isCurrent: ({ routing }) => routing === this.revision, poll },
    );
    lifecycle.onReady(async () => {
      lifecycle.onDrain(await keyValue.subscribe(broadcastChannel('channel-changed'), look));
    });
  }

  async list(): Promise<readonly Ability[]> {
    if (!this.abilities) await this.refresh();
    return this.abilities ?? [];
  }

  private async refresh(): Promise<void> {
    const { abilities, revision } = await this.internal.call(getAbilities, {});
    if (revision < this.revision) return;
    this.abilities = abilities;
    this.revision = revision;
  }
}
