import { useTranslation } from 'react-i18next';
import type { FilterField } from './use-filter-draft.js';
import type { Filter } from '../tables/list-state.js';

/** A filter as text, by the field that sets it; `undefined` for filters without a field and for fields that are always visible. */
export function useFilterWords<F extends Filter>(fields: readonly FilterField<F>[]) {
  const { t } = useTranslation();
  return (name: keyof F & string, value: string): string | undefined => {
    const field = fields.find((one) => one.name === name);
    if (!field || field.kind === 'time' || field.chip === false) return undefined;
    const chosen = field.kind === 'select' ? field.options.find((option) => option.value === value)?.label : undefined;
    return t('table.chip', { label: field.label, value: chosen ?? value });
  };
}
