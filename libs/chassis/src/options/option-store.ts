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
 * All options, parsed, in memory. Overrides come from identity; a value that does not parse leaves the previous one in place. Reads are
 * synchronous and always return a value, the default until the first sync.
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

  /** The text in force: the stored one, or the default when none is stored. */
  text(key: OptionKey): string {
    return this.texts[key] ?? defaultOptions[key];
  }

  /** The listener is called after a change was applied, with the changed keys. */
  onChange(listener: Listener): void {
    this.listeners.add(listener);
  }

  async refresh(): Promise<void> {
    const { revision, values } = await this.internal.call(getOptions, {});
    this.apply(revision, values);
  }

  /** The once-a-second check: fetches the options only if the owner's revision has changed. */
  async poll(): Promise<void> {
    const { optionRevision } = await this.internal.call(pollIdentity, { usersSince: Number.MAX_SAFE_INTEGER });
    if (optionRevision !== this.revision) await this.refresh();
  }

  /** Ignores a snapshot that is older than the current one. */
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

/** The parsed default of an option; `undefined` is a valid default. */
function defaultOf(key: OptionKey): unknown {
  const parsed = parseOption(key, defaultOptions[key]);
  return parsed.ok ? parsed.value : undefined;
}
