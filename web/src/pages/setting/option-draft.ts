import type { OptionKey } from '@tollgate/contracts/options/index';
import { isSecret } from '@tollgate/contracts/options/index';
import { createContext, useContext, useLayoutEffect, useState, useSyncExternalStore } from 'react';
import type { Options } from '../../api/option.api.js';
import { useKept } from '../../components/forms/use-kept.js';
import type { Problem } from './option-problem.js';
import { problemOf } from './option-problem.js';
import type { SettingField } from './setting-fields.js';

type Texts = Partial<Record<OptionKey, string>>;
type Revisions = Partial<Record<OptionKey, number>>;

/**
 * What was typed and not saved, over all tabs; nothing typed is lost by looking at another tab or by a refused save. It is not a state of
 * React, because a hundred fields hang on it and a keystroke concerns one: each follows what it shows by `useDraftValue`.
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

  /** What the server holds now. */
  take(options: Options): void {
    if (options === this.options) return;
    this.options = options;
    this.tell();
  }

  /** The text in the field: typed, else stored. Of a secret: typed, else empty. */
  textOf(key: OptionKey): string {
    return this.texts[key] ?? this.stored(key);
  }

  isChanged(key: OptionKey): boolean {
    return this.texts[key] !== undefined && this.texts[key] !== this.stored(key);
  }

  /** Of the text that the reader saw when typing began: what others saved since is not overwritten unseen. */
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
    // What was refused is judged again at every stroke; what is new waits until the field is left.
    if (this.problems[key]) this.judge(field);
    this.tell();
  }

  /** Judges what was typed, when the field is left or the section saved. */
  check(field: SettingField): Problem | undefined {
    this.judge(field);
    this.tell();
    return this.problems[field.key];
  }

  refuse(key: OptionKey, problem: Problem): void {
    this.problems[key] = problem;
    this.tell();
  }

  /** The reader was told of the newer text: the next save knows of it. */
  unpin(keys: OptionKey[]): void {
    for (const key of keys) delete this.revisions[key];
  }

  /** The server has these texts. What was typed on since is no part of them, and is typed over them. */
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
    this.tell();
  }

  /** What may be stored in the browser: no secret. */
  kept(): { texts: Texts; revisions: Revisions } | undefined {
    const kept = Object.entries(this.texts).filter(([key]) => !isSecret(key as OptionKey));
    return kept.length === 0 ? undefined : { texts: Object.fromEntries(kept), revisions: { ...this.revisions } };
  }

  restore({ texts, revisions }: { texts: Texts; revisions: Revisions }): void {
    this.texts = { ...texts, ...this.texts };
    this.revisions = { ...revisions, ...this.revisions };
    this.tell();
  }

  private judge(field: SettingField): void {
    const problem = this.isChanged(field.key) ? problemOf(field, this.textOf(field.key)) : undefined;
    if (problem) this.problems[field.key] = problem;
    else delete this.problems[field.key];
  }

  private stored(key: OptionKey): string {
    return this.options[key]?.value ?? '';
  }

  private tell(): void {
    for (const listener of this.listeners) listener();
  }
}

/** One draft for as long as the page is open. */
export function useNewDraft(options: Options): OptionDraft {
  const [draft] = useState(() => new OptionDraft(options));
  useLayoutEffect(() => draft.take(options), [draft, options]);
  useKept<NonNullable<ReturnType<OptionDraft['kept']>>>({
    id: 'options',
    typed: () => draft.kept(),
    restore: (typed) => draft.restore(typed),
  });
  return draft;
}

const DraftContext = createContext<OptionDraft | undefined>(undefined);
export const DraftProvider = DraftContext.Provider;

/** To change and to ask at the moment of an action; what is drawn follows `useDraftValue`. */
export function useOptionDraft(): OptionDraft {
  const draft = useContext(DraftContext);
  if (!draft) throw new Error('settings are drawn inside their draft');
  return draft;
}

/** Draws anew when this value changes and not otherwise; a value that is made anew at each call would never rest. */
export function useDraftValue<Value>(read: (draft: OptionDraft) => Value): Value {
  const draft = useOptionDraft();
  return useSyncExternalStore(draft.subscribe, () => read(draft));
}
