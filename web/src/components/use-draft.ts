import type { FieldValues, Path, PathValue, UseFormReturn } from 'react-hook-form';
import { useKept } from './use-kept.js';

interface DraftOptions<T> {
  /** Tells the forms of one page apart. */
  id?: string;
  /** False while what is to be edited is on its way. */
  ready?: boolean;
  /** Never kept. */
  secrets?: (keyof T)[];
}

type Form<T extends FieldValues> = Pick<UseFormReturn<T>, 'formState' | 'getValues' | 'setValue'>;

/** Changed fields of a form outlive an expired login. */
export function useDraft<T extends FieldValues>(form: Form<T>, options: DraftOptions<T> = {}): void {
  const { id = 'form', ready, secrets = [] } = options;
  const { dirtyFields } = form.formState;
  useKept<Record<string, unknown>>({
    id,
    ready,
    typed: () => {
      const names = Object.keys(dirtyFields).filter((name) => !secrets.includes(name));
      const all = form.getValues();
      return names.length === 0 ? undefined : Object.fromEntries(names.map((name) => [name, all[name]]));
    },
    restore: (values) => {
      for (const [name, value] of Object.entries(values))
        form.setValue(name as Path<T>, value as PathValue<T, Path<T>>, { shouldDirty: true });
    },
  });
}
