import type { FieldValues, Path, PathValue, UseFormReturn } from 'react-hook-form';
import { useKept } from './use-kept.js';

interface DraftOptions<T> {
  /** Tells the forms of one page apart. */
  id?: string;
  /** False while what is to be edited is on its way. */
  ready?: boolean;
  /** Never kept. */
  secrets?: (keyof T)[];
  /** Of a form over something stored: what its fields held when typing began. */
  seen?: { read: () => T; restore: (part: Partial<T>) => void };
}

interface Draft {
  typed: Record<string, unknown>;
  /** What the same fields held before. */
  seen: Record<string, unknown>;
}

type Form<T extends FieldValues> = Pick<UseFormReturn<T>, 'formState' | 'getValues' | 'setValue'>;

/** Changed fields of a form outlive a reload and an expired login. */
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
    restore: (draft) => {
      seen?.restore(draft.seen as Partial<T>);
      for (const [name, value] of Object.entries(draft.typed))
        form.setValue(name as Path<T>, value as PathValue<T, Path<T>>, { shouldDirty: true });
    },
  });
}
