import {
  defaultOptions,
  type OptionKey,
  optionRows,
  type OptionValue,
  parseOption,
  getOptions,
  pollIdentity,
} from '@tollgate/contracts';
import type { InternalClient } from '../http/internal-client.js';
import type { Logger } from '../log/logger.js';

type Listener = (changed: ReadonlySet<OptionKey>) => void;

/**
 * Every option, parsed, in memory. Overrides come from identity; a value that does not parse keeps what was there before.
 * Reading is synchronous and always answers, with the defaults until the first sync.
 */
export class OptionStore {
  private values = new Map<OptionKey, unknown>();
  private texts: Partial<Record<OptionKey, string>> = {};
  private readonly listeners = new Set<Listener>();
  revision = -1;

  constructor(
    private readonly internal: InternalClient,
    private readonly logger: Logger,
  ) {
    for (const key of Object.keys(optionRows) as OptionKey[]) this.values.set(key, defaultOf(key));
  }

  get<Key extends OptionKey>(key: Key): OptionValue<Key> {
    return this.values.get(key) as OptionValue<Key>;
  }

  /** The text in force: the stored one, unless its feature is not built, or the default. */
  text(key: OptionKey): string {
    return this.texts[key] ?? defaultOptions[key];
  }

  /** Called after a change was applied, with the keys that differ. */
  onChange(listener: Listener): void {
    this.listeners.add(listener);
  }

  async refresh(): Promise<void> {
    const { revision, values } = await this.internal.call(getOptions, {});
    this.apply(revision, values);
  }

  /** The once-a-second check: cheap unless the owner's revision moved. */
  async poll(): Promise<void> {
    const { optionRevision } = await this.internal.call(pollIdentity, { usersSince: Number.MAX_SAFE_INTEGER });
    if (optionRevision !== this.revision) await this.refresh();
  }

  /** An older snapshot that arrives late is ignored. */
  apply(revision: number, overrides: Record<string, string>): void {
    if (revision < this.revision) return;
    const changed = new Set<OptionKey>();
    const texts: Partial<Record<OptionKey, string>> = {};
    for (const key of Object.keys(optionRows) as OptionKey[]) {
      const text = overrides[key];
      if (text !== undefined) texts[key] = text;
      if (text === this.texts[key]) continue;
      const parsed = parseOption(key, text ?? defaultOptions[key]);
      if (parsed.ok) {
        this.values.set(key, parsed.value);
        changed.add(key);
      } else this.logger.error('an option is not usable; its last good value stays', { option: key });
    }
    this.texts = texts;
    this.revision = revision;
    if (changed.size > 0) for (const listener of this.listeners) listener(changed);
  }
}

/** What an option has where nothing is stored; nothing is a value too. */
function defaultOf(key: OptionKey): unknown {
  const parsed = parseOption(key, defaultOptions[key]);
  return parsed.ok ? parsed.value : undefined;
}
