import Button from '@mui/material/Button';
import Stack from '@mui/material/Stack';
import type { Control, FieldPath, FieldValues } from 'react-hook-form';
import { useController } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { Field } from '../forms/field.js';
import { formatQuota, formatUnits } from './quota-format.js';
import { useQuotaScale } from './quota-text.js';

/** Parses a whole number of units; `undefined` if the text is not one. */
export function parseUnits(text: string): number | undefined {
  if (!/^\d{1,16}$/.test(text.trim())) return undefined;
  const units = Number(text);
  return Number.isSafeInteger(units) ? units : undefined;
}

interface QuotaFieldProps<T extends FieldValues> {
  control: Control<T>;
  name: FieldPath<T>;
  label: string;
  /** In units; their labels are computed. */
  presets: number[];
  invalid: string;
  /** The smallest valid amount, in units. */
  min?: number;
  /** Why the form as a whole does not allow this amount; called only with a valid amount. */
  check?: (units: number, form: T) => string | undefined;
  unlimited?: boolean;
}

/** A field for units that shows their value in money, with presets labelled by their value. */
export function QuotaField<T extends FieldValues>({
  control,
  name,
  label,
  presets,
  invalid,
  min = 0,
  check,
  unlimited,
}: QuotaFieldProps<T>) {
  const { t } = useTranslation();
  const scale = useQuotaScale();
  const validate = (value: string, form: T): true | string => {
    if (unlimited) return true;
    const amount = parseUnits(value);
    if (amount === undefined || amount < min) return invalid;
    return check?.(amount, form) ?? true;
  };
  const { field, fieldState } = useController({ control, name, rules: { validate } });
  const units = parseUnits(String(field.value));
  const worth =
    !unlimited && units !== undefined && scale.inCurrency
      ? t('form.equivalent', { amount: formatQuota(units, scale) })
      : undefined;
  return (
    <div>
      <Field
        label={label}
        value={unlimited ? '' : (field.value ?? '')}
        placeholder={unlimited ? t('quota.unlimited') : undefined}
        onChange={field.onChange}
        onBlur={field.onBlur}
        inputRef={field.ref}
        denied={unlimited ? t('quota.unlimitedOn') : undefined}
        error={Boolean(fieldState.error)}
        helperText={fieldState.error?.message || worth}
        inputMode="numeric"
      />
      {!unlimited && (
        <Stack direction="row" sx={{ flexWrap: 'wrap', gap: 0.5, mt: 0.5 }}>
          {presets.map((preset) => (
            <Button
              key={preset}
              size="small"
              variant="outlined"
              sx={{ minHeight: 24, px: 1, py: 0 }}
              onClick={() => field.onChange(String(preset))}
            >
              {scale.inCurrency ? formatQuota(preset, scale).replace(/\.00$/, '') : formatUnits(preset)}
            </Button>
          ))}
        </Stack>
      )}
    </div>
  );
}
