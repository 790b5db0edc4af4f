import Checkbox from '@mui/material/Checkbox';
import FormControlLabel from '@mui/material/FormControlLabel';
import FormHelperText from '@mui/material/FormHelperText';
import type { TextLimit } from '@tollgate/contracts/text-limits';
import type { ReactNode } from 'react';
import { useId } from 'react';
import type { Control, FieldPath, FieldValues } from 'react-hook-form';
import { useController } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import type { FieldProps } from './field.js';
import { Field } from './field.js';
import type { Option } from './native-field.js';
import { NativeField } from './native-field.js';
import { lengthProblem } from './text-problem.js';

/** Returns the message to show at the field; `undefined` if the value is valid. */
export type Check = (value: string) => string | undefined;

interface Bound<T extends FieldValues> {
  control: Control<T>;
  name: FieldPath<T>;
}

type FormTextProps<T extends FieldValues> = Bound<T> &
  Omit<FieldProps, 'name' | 'value' | 'onChange' | 'onBlur' | 'error' | 'inputRef'> & {
    check?: Check;
    /** Limit on the value as sent, without leading and trailing blanks. */
    limit?: TextLimit;
  };

/** A single-line or multi-line text field bound to a form. */
export function FormText<T extends FieldValues>({
  control,
  name,
  check,
  limit,
  helperText,
  ...props
}: FormTextProps<T>) {
  const { t } = useTranslation();
  const checkLength = (text: string): string | undefined => {
    const problem = limit && lengthProblem(text.trim(), limit);
    return problem && t(problem.key, { ...problem.params });
  };
  const { field, fieldState } = useController({
    control,
    name,
    rules: { validate: (value: string) => check?.(value) ?? checkLength(value) ?? true },
  });
  return (
    <Field
      {...props}
      name={name}
      value={field.value ?? ''}
      onChange={field.onChange}
      onBlur={field.onBlur}
      inputRef={field.ref}
      error={Boolean(fieldState.error)}
      helperText={fieldState.error?.message || helperText}
    />
  );
}

interface FormSwitchProps<T extends FieldValues> extends Bound<T> {
  label: ReactNode;
  helperText?: ReactNode;
  disabled?: boolean;
}

export function FormSwitch<T extends FieldValues>({ control, name, label, helperText, disabled }: FormSwitchProps<T>) {
  const { field, fieldState } = useController({ control, name });
  const helpId = useId();
  const problem = fieldState.error?.message;
  const help = problem || helperText;
  return (
    <div>
      <FormControlLabel
        label={label}
        disabled={disabled}
        // Aligns the box with the frames of the fields, and the help text with the label.
        sx={{ ml: '-8px' }}
        control={
          <Checkbox
            checked={Boolean(field.value)}
            onChange={(_, checked) => field.onChange(checked)}
            slotProps={{
              input: {
                'aria-describedby': help ? helpId : undefined,
                'aria-invalid': fieldState.error ? true : undefined,
                name,
                ref: field.ref,
              },
            }}
          />
        }
      />
      {help && (
        <FormHelperText id={helpId} error={Boolean(problem)} sx={{ mt: 0, ml: 3 }}>
          {help}
        </FormHelperText>
      )}
    </div>
  );
}

interface FormSelectProps<T extends FieldValues> extends Bound<T> {
  label: string;
  options: Option[];
  helperText?: ReactNode;
  /** Why nothing can be chosen. */
  denied?: string;
}

export function FormSelect<T extends FieldValues>({ control, name, helperText, ...props }: FormSelectProps<T>) {
  const { field, fieldState } = useController({ control, name });
  return (
    <NativeField
      {...props}
      name={name}
      value={String(field.value ?? '')}
      onChange={field.onChange}
      selectRef={field.ref}
      error={Boolean(fieldState.error)}
      helperText={fieldState.error?.message || helperText}
    />
  );
}
