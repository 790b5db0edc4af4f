import type { FieldPath, FieldValues, Control } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { FormText } from './form-fields.js';
import { parseTime } from '../basics/time-format.js';

interface ExpiryTextProps<T extends FieldValues> {
  control: Control<T>;
  name: FieldPath<T>;
  label: string;
  hint: string;
  invalid: string;
}

/** An expiry time; an empty field means that it never expires. */
export function ExpiryText<T extends FieldValues>({ control, name, label, hint, invalid }: ExpiryTextProps<T>) {
  const { t } = useTranslation();
  return (
    <FormText
      control={control}
      name={name}
      label={label}
      placeholder={t('time.noExpiry')}
      check={(text) => (text.trim() === '' || parseTime(text) !== undefined ? undefined : invalid)}
      helperText={hint}
    />
  );
}
