import type { FieldValues, Path, PathValue, UseFormReturn } from 'react-hook-form';
import { isOfKind } from './alike.js';
import { useKept } from './use-kept.js';

interface DraftOptions<T> {
  /** Distinguishes the forms of one page. */
  id?: string;
  /** `false` while the object to edit is being loaded. */
  ready?: boolean;
  /** Fields that are never stored. */
  secrets?: (keyof T)[];
  /** For a form that edits a stored object: the values that its fields had when the user began to type. */
  seen?: { read: () => T; restore: (part: Partial<T>) => void };
}

interface Draft {
  typed: Record<string, unknown>;
  /** Values of the same fields before they were changed. */
  seen: Record<string, unknown>;
}

type Form<T extends FieldValues> = Pick<UseFormReturn<T>, 'formState' | 'getValues' | 'setValue'>;

/** Keeps the changed fields of a form over a reload and an expired login. */
export function useDraft<T extends FieldValues>(form: Form<T>, options: DraftOptions<T> = {}): void {
  const { id = 'form', ready, secrets = [], seen } = options;
  const { dirtyFields } = form.formState;
  useKept<Draft>({
    id,
    ready,
    typed: () => {
      const names = Object.keys(dirtyFields).filter((name) => !secrets.includes(name));
      const pick = (from: T) => Object.fromEntries(names.map((name) => [name, from[name] as unknown]));
      return names.length === 0
        ? undefined
        : { typed: pick(form.getValues()), seen: seen === undefined ? {} : pick(seen.read()) };
    },
    sample: { typed: {}, seen: {} },
    restore: (draft) => {
      const now = form.getValues();
      const fieldsOf = (part: Draft['typed']) =>
        Object.entries(part).filter(([name, value]) => Object.hasOwn(now, name) && isOfKind(value, now[name]));
      seen?.restore(Object.fromEntries(fieldsOf(draft.seen)) as Partial<T>);
      for (const [name, value] of fieldsOf(draft.typed))
        form.setValue(name as Path<T>, value as PathValue<T, Path<T>>, { shouldDirty: true });
    },
  });
}
