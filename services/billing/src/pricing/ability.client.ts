import { Injectable } from '@nestjs/common';
import { getAbilities, pollChannel } from '@tollgate/contracts';
import { Clock, InternalClient, KeyValue, Lifecycle, broadcastChannel } from '@tollgate/chassis';

export interface Ability {
  group: string;
  model: string;
}

const FRESH_MS = 1000;

interface Snapshot {
  abilities: readonly Ability[];
  revision: number;
  at: number;
}

/**
 * Which (group, model) pairs the channel service can serve, kept as long as its revision says that nothing changed. While that
 * cannot be asked, a second.
 */
@Injectable()
export class AbilityClient {
  private cached: Snapshot | undefined;
  private loading: Promise<readonly Ability[]> | undefined;
  /** Grows with every change heard of, so that an answer asked for before it is not kept. */
  private changes = 0;

  constructor(
    private readonly internal: InternalClient,
    private readonly clock: Clock,
    keyValue: KeyValue,
    lifecycle: Lifecycle,
  ) {
    lifecycle.onReady(async () => {
      const forget = (): void => {
        this.cached = undefined;
        this.loading = undefined;
        this.changes += 1;
      };
      lifecycle.onDrain(await keyValue.subscribe(broadcastChannel('channel-changed'), forget));
    });
  }

  async list(): Promise<readonly Ability[]> {
    const { cached } = this;
    if (cached && (await this.isCurrent(cached))) return cached.abilities;
    this.loading ??= this.load();
    return this.loading;
  }

  private async isCurrent({ revision, at }: Snapshot): Promise<boolean> {
    try {
      return (await this.internal.call(pollChannel, {})).routingRevision === revision;
    } catch {
      return this.clock.monotonic() - at < FRESH_MS;
    }
  }

  private async load(): Promise<readonly Ability[]> {
    const { changes } = this;
    try {
      const { abilities, revision } = await this.internal.call(getAbilities, {});
      if (changes === this.changes) this.cached = { abilities, revision, at: this.clock.monotonic() };
      return abilities;
    } finally {
      if (changes === this.changes) this.loading = undefined;
    }
  }
}
