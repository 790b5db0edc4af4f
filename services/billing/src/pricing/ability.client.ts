import { Injectable } from '@nestjs/common';
import { getAbilities } from '@tollgate/contracts';
import { Clock, InternalClient, KeyValue, Lifecycle, lookAgainChannel } from '@tollgate/platform';

export interface Ability {
  group: string;
  model: string;
}

const FRESH_MS = 1000;

/** Which (group, model) pairs the channel service can serve, at most a second old. */
@Injectable()
export class AbilityClient {
  private cached: { abilities: readonly Ability[]; at: number } | undefined;
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
      lifecycle.onDrain(await keyValue.subscribe(lookAgainChannel('channel-changed'), forget));
    });
  }

  async list(): Promise<readonly Ability[]> {
    if (this.cached && this.clock.monotonic() - this.cached.at < FRESH_MS) return this.cached.abilities;
    this.loading ??= this.load();
    return this.loading;
  }

  private async load(): Promise<readonly Ability[]> {
    const { changes } = this;
    try {
      const { abilities } = await this.internal.call(getAbilities, {});
      if (changes === this.changes) this.cached = { abilities, at: this.clock.monotonic() };
      return abilities;
    } finally {
      if (changes === this.changes) this.loading = undefined;
    }
  }
}
