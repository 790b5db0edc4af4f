import { useState } from 'react';
import type { FieldValues, Path, PathValue, UseFormReturn } from 'react-hook-form';
import * as z from 'zod/mini';
import { isApiError } from '../../api/api-error.js';
import { useKept } from './use-kept.js';

interface DraftOptions<T> {
  /** Distinguishes the forms of one page. */
  id?: string;
  /** `false` while the object to edit is being loaded. */
  ready?: boolean;
  /** Fields that are never stored. */
  secrets?: (keyof T)[];
  /** The failure of the last save. */
  failure?: unknown;
  /** For a form that edits a stored object: the values that its fields had when the user began to type. */
  seen?: { read: () => T; restore: (part: Partial<T>) => void };
}

const partSchema = z.record(z.string(), z.unknown());
const draftSchema = z.object({
  typed: partSchema,
  /** Values of the same fields before they were changed. */
  seen: partSchema,
  /** The form was being saved when its page was closed, and the reply is not known. */
  saving: z.optional(z.literal(true)),
});
type Draft = z.infer<typeof draftSchema>;

const texts = z.array(z.string());
/** Whether a kept value may be put into a field: both are text, or both a list of texts, and so on. */
const fits = (value: unknown, now: unknown): boolean =>
  Array.isArray(now) ? texts.safeParse(value).success : now !== null && typeof value === typeof now;

type Form<T extends FieldValues> = Pick<UseFormReturn<T>, 'formState' | 'getValues' | 'setValue'>;

/** Statuses of a call that the server may have carried out although its reply was lost: none, and those of proxies. */
const UNANSWERED: readonly number[] = [0, 502, 504];
const isUnanswered = (failure: unknown): boolean => isApiError(failure) && UNANSWERED.includes(failure.status);

/**
 * Keeps the changed fields of a form over a reload and an expired login. `unsure`: the form may have been saved, because its page was closed
 * during the save or the reply was lost.
 */
export function useDraft<T extends FieldValues>(form: Form<T>, options: DraftOptions<T> = {}): { unsure: boolean } {
  const { id = 'form', ready, secrets = [], failure, seen } = options;
  const { dirtyFields, isSubmitting } = form.formState;
  const [restored, setRestored] = useState(false);
  const unsure = restored || isUnanswered(failure);
  useKept<Draft>({
    id,
    ready,
    typed: () => {
      const names = Object.keys(dirtyFields).filter((name) => !secrets.includes(name));
      const mayBeSaved = isSubmitting || unsure;
      if (names.length === 0 && !mayBeSaved) return undefined;
      const pick = (from: T) => Object.fromEntries(names.map((name) => [name, from[name] as unknown]));
      const draft = { typed: pick(form.getValues()), seen: seen === undefined ? {} : pick(seen.read()) };
      return mayBeSaved ? { ...draft, saving: true } : draft;
    },
    schema: draftSchema,
    restore: (draft) => {
      const now = form.getValues();
      const fieldsOf = (part: Draft['typed']) =>
        Object.entries(part).filter(([name, value]) => Object.hasOwn(now, name) && fits(value, now[name]));
      seen?.restore(Object.fromEntries(fieldsOf(draft.seen)) as Partial<T>);
      for (const [name, value] of fieldsOf(draft.typed))
        form.setValue(name as Path<T>, value as PathValue<T, Path<T>>, { shouldDirty: true });
      setRestored(draft.saving === true);
    },
  });
  return { unsure };
}
