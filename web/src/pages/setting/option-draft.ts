import type { OptionKey } from '@tollgate/contracts/options/index';
import { isSecret, optionKeys } from '@tollgate/contracts/options/index';
import { createContext, useContext, useLayoutEffect, useState, useSyncExternalStore } from 'react';
import * as z from 'zod/mini';
import type { Options } from '../../api/option.api.js';
import { useKept } from '../../components/forms/use-kept.js';
import type { Problem } from './option-problem.js';
import { problemOf } from './option-problem.js';
import type { SettingField } from './setting-fields.js';

type Texts = Partial<Record<OptionKey, string>>;
type Revisions = Partial<Record<OptionKey, number>>;

const keptSchema = z.object({
  texts: z.record(z.string(), z.string()),
  revisions: z.record(z.string(), z.number()),
});
/** The part that is about options which exist in this version. */
const known = <Value>(part: Record<string, Value>): Partial<Record<OptionKey, Value>> =>
  Object.fromEntries(Object.entries(part).filter(([key]) => optionKeys.includes(key as OptionKey)));

/**
 * Unsaved texts of the options in all tabs; they survive a change of the tab and a refused save. The draft is a store
 * outside React's state, because a hundred fields read it and a keystroke concerns one: each subscribes to its own
 * value by `useDraftValue`.
 */
export class OptionDraft {
  private texts: Texts = {};
  private problems: Partial<Record<OptionKey, Problem>> = {};
  private revisions: Revisions = {};
  private readonly listeners = new Set<() => void>();

  constructor(public options: Options) {}

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  /** Replaces the stored options by newer ones from the server. */
  take(options: Options): void {
    if (options === this.options) return;
    this.options = options;
    this.notify();
  }

  /** The text in the field: the typed one, otherwise the stored one. For a secret: the typed one, otherwise empty. */
  textOf(key: OptionKey): string {
    return this.texts[key] ?? this.stored(key);
  }

  isChanged(key: OptionKey): boolean {
    return this.texts[key] !== undefined && this.texts[key] !== this.stored(key);
  }

  /**
   * The revision that the reader saw when typing began. Sent with the save, so that the server refuses to overwrite a
   * later change of somebody else.
   */
  revisionOf(key: OptionKey): number | undefined {
    return key in this.revisions ? this.revisions[key] : this.options[key]?.revision;
  }

  problem(key: OptionKey): Problem | undefined {
    return this.problems[key];
  }

  get dirty(): boolean {
    return Object.keys(this.texts).some((key) => this.isChanged(key as OptionKey));
  }

  change(field: SettingField, text: string): void {
    const { key } = field;
    if (!(key in this.revisions)) this.revisions[key] = this.options[key]?.revision;
    this.texts[key] = text;
    // An invalid text is validated again at every keystroke; a new text only when the field loses the focus.
    if (this.problems[key]) this.validate(field);
    this.notify();
  }

  /** Validates a text, when the field loses the focus or before its card is saved. */
  check(field: SettingField): Problem | undefined {
    this.validate(field);
    this.notify();
    return this.problems[field.key];
  }

  refuse(key: OptionKey, problem: Problem): void {
    this.problems[key] = problem;
    this.notify();
  }

  /**
   * Drops the pinned revisions, so that the next save names the current one: after a save, or once the reader was told
   * of a conflict.
   */
  unpin(keys: OptionKey[]): void {
    for (const key of keys) delete this.revisions[key];
  }

  /**
   * Called when the server has stored these texts. A field whose text changed since keeps the newer text as unsaved.
   */
  saved(texts: ReadonlyMap<OptionKey, string>): void {
    const keys = [...texts.keys()];
    this.unpin(keys);
    this.forget(keys.filter((key) => this.textOf(key) === texts.get(key)));
  }

  forget(keys: OptionKey[]): void {
    for (const key of keys) {
      delete this.texts[key];
      delete this.revisions[key];
      delete this.problems[key];
    }
    this.notify();
  }

  /** The part of the draft that may be stored in the browser; secrets are left out. */
  kept(): { texts: Texts; revisions: Revisions } | undefined {
    const kept = Object.entries(this.texts).filter(([key]) => !isSecret(key as OptionKey));
    return kept.length === 0 ? undefined : { texts: Object.fromEntries(kept), revisions: { ...this.revisions } };
  }

  restore({ texts, revisions }: { texts: Texts; revisions: Revisions }): void {
    this.texts = { ...texts, ...this.texts };
    this.revisions = { ...revisions, ...this.revisions };
    this.notify();
  }

  private validate(field: SettingField): void {
    const problem = this.isChanged(field.key) ? problemOf(field, this.textOf(field.key)) : undefined;
    if (problem) this.problems[field.key] = problem;
    else delete this.problems[field.key];
  }

  private stored(key: OptionKey): string {
    return this.options[key]?.value ?? '';
  }

  private notify(): void {
    for (const listener of this.listeners) listener();
  }
}

/** The draft, which lives as long as the page is open. */
export function useNewDraft(options: Options): OptionDraft {
  const [draft] = useState(() => new OptionDraft(options));
  useLayoutEffect(() => draft.take(options), [draft, options]);
  useKept<z.infer<typeof keptSchema>>({
    id: 'options',
    typed: () => draft.kept(),
    restore: ({ texts, revisions }) => draft.restore({ texts: known(texts), revisions: known(revisions) }),
    schema: keptSchema,
  });
  return draft;
}

const DraftContext = createContext<OptionDraft | undefined>(undefined);
export const DraftProvider = DraftContext.Provider;

/** The draft for event handlers. What is rendered must come from `useDraftValue`, since only that subscribes. */
export function useOptionDraft(): OptionDraft {
  const draft = useContext(DraftContext);
  if (!draft) throw new Error('settings are drawn inside their draft');
  return draft;
}

/**
 * Subscribes to a value of the draft; the component renders again only when it changes. `read` must return a primitive
 * or a stable reference, because a new object at each call would render without end.
 */
export function useDraftValue<Value>(read: (draft: OptionDraft) => Value): Value {
  const draft = useOptionDraft();
  return useSyncExternalStore(draft.subscribe, () => read(draft));
}
