import { Injectable } from '@nestjs/common';
import { getAbilities } from '@tollgate/contracts';
import { ReadModels, InternalClient } from '@tollgate/chassis';

export interface Ability {
  group: string;
  model: string;
}

/** The (group, model) pairs that the channel service can serve, as of its routing revision. */
@Injectable()
export class AbilityDirectory {
  private abilities: readonly Ability[] | undefined;
  private revision = -1;

  constructor(
    private readonly internal: InternalClient,
    readModels: ReadModels,
  ) {
    readModels.follow({
      owner: 'channel',
      topics: ['channel-changed'],
      name: 'routing',
      // Before the first call nothing needs to be kept up to date: no revision of the owner exceeds Infinity.
      revision: () => (this.abilities ? this.revision : Infinity),
      catchUp: () => this.refresh(),
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
