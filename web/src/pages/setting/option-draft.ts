import type { OptionKey } from '@tollgate/contracts/options/index';
import { isSecret } from '@tollgate/contracts/options/index';
import { createContext, useCallback, useContext, useMemo, useState } from 'react';
import type { Problem } from './option-problem.js';
import { problemOf } from './option-problem.js';
import type { SettingField } from './setting-fields.js';
import type { Options } from '../../api/option.api.js';
import { useKept } from '../../components/use-kept.js';

type Texts = Partial<Record<OptionKey, string>>;
type Revisions = Partial<Record<OptionKey, number>>;
type Problems = Partial<Record<OptionKey, Problem>>;

export interface OptionDraft {
  options: Options;
  /** The text in the field: typed, else stored. Of a secret: typed, else empty. */
  textOf: (key: OptionKey) => string;
  isChanged: (key: OptionKey) => boolean;
  /** Of the text that the reader saw when typing began: what others saved since is not overwritten unseen. */
  revisionOf: (key: OptionKey) => number | undefined;
  problem: (key: OptionKey) => Problem | undefined;
  change: (field: SettingField, text: string) => void;
  /** Judges what was typed, when the field is left or the section saved. */
  check: (field: SettingField) => Problem | undefined;
  refuse: (key: OptionKey, problem: Problem) => void;
  /** The reader was told of the newer text: the next save knows of it. */
  unpin: (keys: OptionKey[]) => void;
  forget: (keys: OptionKey[]) => void;
  dirty: boolean;
}

const without = <Row extends object>(record: Row, keys: readonly string[]): Row =>
  Object.fromEntries(Object.entries(record).filter(([key]) => !keys.includes(key))) as Row;

/** What was typed and not saved, over all tabs; nothing typed is lost by looking at another tab or by a refused save. */
export function useOptionDraft(options: Options): OptionDraft {
  const [texts, setTexts] = useState<Texts>({});
  const [problems, setProblems] = useState<Problems>({});
  const [revisions, setRevisions] = useState<Revisions>({});

  useKept<{ texts: Texts; revisions: Revisions }>({
    id: 'options',
    typed: () => {
      const kept = Object.entries(texts).filter(([key]) => !isSecret(key as OptionKey));
      return kept.length === 0 ? undefined : { texts: Object.fromEntries(kept), revisions };
    },
    restore: (typed) => {
      setTexts((now) => ({ ...typed.texts, ...now }));
      setRevisions((now) => ({ ...typed.revisions, ...now }));
    },
  });
  const stored = useCallback((key: OptionKey) => options[key]?.value ?? '', [options]);
  const isChanged = useCallback(
    (key: OptionKey) => texts[key] !== undefined && texts[key] !== stored(key),
    [texts, stored],
  );
  return useMemo(() => {
    const textOf = (key: OptionKey) => texts[key] ?? stored(key);
    const refuse = (key: OptionKey, problem: Problem) => setProblems((now) => ({ ...now, [key]: problem }));
    const pin = (key: OptionKey) =>
      setRevisions((now) => (key in now ? now : { ...now, [key]: options[key]?.revision }));
    const forgive = (key: OptionKey) => setProblems((now) => (now[key] ? without(now, [key]) : now));
    return {
      options,
      textOf,
      isChanged,
      revisionOf: (key) => (key in revisions ? revisions[key] : options[key]?.revision),
      problem: (key) => problems[key],
      change: (field, text) => {
        pin(field.key);
        setTexts((now) => ({ ...now, [field.key]: text }));
        // What was refused is judged again at every stroke; what is new waits until the field is left.
        if (problems[field.key]) {
          const problem = problemOf(field, text);
          if (problem) refuse(field.key, problem);
          else forgive(field.key);
        }
      },
      check: (field) => {
        const problem = isChanged(field.key) ? problemOf(field, textOf(field.key)) : undefined;
        if (problem) refuse(field.key, problem);
        else forgive(field.key);
        return problem;
      },
      refuse,
      unpin: (keys) => setRevisions((now) => without(now, keys)),
      forget: (keys) => {
        setTexts((now) => without(now, keys));
        setRevisions((now) => without(now, keys));
        setProblems((now) => without(now, keys));
      },
      dirty: Object.keys(texts).some((key) => isChanged(key as OptionKey)),
    };
  }, [options, texts, problems, revisions, stored, isChanged]);
}

const DraftContext = createContext<OptionDraft | undefined>(undefined);
export const DraftProvider = DraftContext.Provider;

export function useDraft(): OptionDraft {
  const draft = useContext(DraftContext);
  if (!draft) throw new Error('settings are drawn inside their draft');
  return draft;
}
