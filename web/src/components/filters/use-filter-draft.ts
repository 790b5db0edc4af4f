import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Filter, ListState } from '../tables/list-state.js';
import type { Option } from '../forms/native-field.js';
import { formatTime, parseTime } from '../basics/time-format.js';

export type FilterField<F extends Filter> = {
  name: keyof F & string;
  label: string;
  width?: number;
  placeholder?: string;
  /** No chip, because the field is always visible. */
  chip?: false;
  /** Returns why the value is invalid; an invalid filter is not applied. `all` has the other values, too. */
  check?: (value: string, all: F) => string | undefined;
} & (
  | { kind: 'text' }
  | { kind: 'select'; options: Option[] }
  /** Unix seconds in the address, shown as `YYYY-MM-DD HH:mm:ss`. */
  | { kind: 'time' }
);

const show = (kind: string, value: string): string =>
  kind === 'time' && value !== '' ? formatTime(Number(value)) : value;
/** The value for the address; `undefined` if the text is no time. */
const read = (kind: string, text: string): string | undefined => {
  if (kind !== 'time' || text.trim() === '') return text;
  const seconds = parseTime(text);
  return seconds === undefined ? undefined : String(seconds);
};

/**
 * The text typed into filter fields. It is applied on Enter, blur or the button, so an IME composition is never interrupted. The address
 * changes only with the next render: what the user types until then is kept. Any other change of the address replaces the text.
 */
export function useFilterDraft<F extends Filter>(list: ListState<F>, fields: FilterField<F>[]) {
  const { t } = useTranslation();
  const shown = Object.fromEntries(fields.map(({ name, kind }) => [name, show(kind, list.filter[name] ?? '')])) as F;
  const applied = JSON.stringify(shown);
  const [draft, setDraft] = useState<F>(shown);
  /** Applied changes that the address does not have yet: the typed texts, and the texts that the changed address will produce. */
  const pending = useRef<{ texts: F; shown: string }[]>([]);
  useEffect(() => {
    const next = JSON.parse(applied) as F;
    const own = pending.current.findIndex((one) => one.shown === applied);
    const texts = pending.current[own]?.texts;
    pending.current = texts ? pending.current.slice(own + 1) : [];
    setDraft((now) => {
      if (!texts) return next;
      const kept = Object.keys(next).filter((name) => now[name] !== texts[name]);
      return { ...next, ...Object.fromEntries(kept.map((name) => [name, now[name]])) };
    });
  }, [applied]);
  const valuesOf = (texts: F): F => ({
    ...list.filter,
    ...Object.fromEntries(fields.map(({ name, kind }) => [name, read(kind, texts[name] ?? '') ?? ''])),
  });
  const problemsOf = (texts: F): Record<string, string | undefined> =>
    Object.fromEntries(
      fields.map(({ name, kind, check }) => {
        const value = read(kind, texts[name] ?? '');
        if (value === undefined) return [name, t('time.bad')];
        return [name, value === '' ? undefined : check?.(value, valuesOf(texts))];
      }),
    );
  const problems = problemsOf(draft);
  const valid = Object.values(problems).every((problem) => !problem);
  const commit = (next: F = draft): boolean => {
    const bad = Object.values(problemsOf(next)).some(Boolean);
    if (bad || JSON.stringify(next) === applied) return false;
    const values = valuesOf(next);
    const written = Object.fromEntries(fields.map(({ name, kind }) => [name, show(kind, values[name] ?? '')])) as F;
    // Only the spelling differs, so the address would not change.
    if (JSON.stringify(written) === applied) {
      setDraft(written);
      return false;
    }
    pending.current.push({ texts: next, shown: JSON.stringify(written) });
    list.apply(values);
    return true;
  };
  return { draft, setDraft, problems, commit, valid };
}
