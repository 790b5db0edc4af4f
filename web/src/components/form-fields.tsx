import Autocomplete from '@mui/material/Autocomplete';
import Checkbox from '@mui/material/Checkbox';
import FormControlLabel from '@mui/material/FormControlLabel';
import FormHelperText from '@mui/material/FormHelperText';
import TextField from '@mui/material/TextField';
import type { TextLimit } from '@tollgate/contracts/text-limits';
import type { ReactNode } from 'react';
import { useId } from 'react';
import type { Control, FieldPath, FieldValues } from 'react-hook-form';
import { useController } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { hintCut } from './cut-hint.js';
import type { FieldProps } from './field.js';
import { Field } from './field.js';
import type { Option } from './native-field.js';
import { NativeField } from './native-field.js';
import { lengthProblem } from './text-problem.js';

/** Undefined: the value is fine; otherwise the sentence beside the field. */
export type Check = (value: string) => string | undefined;

interface Bound<T extends FieldValues> {
  control: Control<T>;
  name: FieldPath<T>;
}

type FormTextProps<T extends FieldValues> = Bound<T> &
  Omit<FieldProps, 'name' | 'value' | 'onChange' | 'onBlur' | 'error' | 'inputRef'> & {
    check?: Check;
    /** Of what is sent, which is without the blanks at both ends. */
    limit?: TextLimit;
  };

/** A line or block of text bound to a form. */
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
  const { field } = useController({ control, name });
  const helpId = useId();
  return (
    <div>
      <FormControlLabel
        label={label}
        disabled={disabled}
        control={
          <Checkbox
            checked={Boolean(field.value)}
            onChange={(_, checked) => field.onChange(checked)}
            slotProps={{ input: { 'aria-describedby': helperText ? helpId : undefined, name } }}
          />
        }
      />
      {helperText && (
        <FormHelperText id={helpId} sx={{ mt: 0, ml: 4 }}>
          {helperText}
        </FormHelperText>
      )}
    </div>
  );
}

interface FormSelectProps<T extends FieldValues> extends Bound<T> {
  label: string;
  options: Option[];
  helperText?: ReactNode;
  disabled?: boolean;
}

export function FormSelect<T extends FieldValues>({ control, name, ...props }: FormSelectProps<T>) {
  const { field } = useController({ control, name });
  return <NativeField {...props} name={name} value={String(field.value ?? '')} onChange={field.onChange} />;
}

interface FormListProps<T extends FieldValues> extends Bound<T> {
  label: string;
  options: string[];
  helperText?: ReactNode;
  disabled?: boolean;
  /** Names that are not among the options may be typed. */
  free?: boolean;
  check?: (value: string[]) => string | undefined;
  placeholder?: string;
}

/** With the focus all names are drawn, which may push the place to type out of view. */
const bringIntoView = ({ target }: { target: Element }): void => {
  requestAnimationFrame(() => target.scrollIntoView?.({ block: 'nearest' }));
};

/** Several names of a long list. */
export function FormList<T extends FieldValues>(props: FormListProps<T>) {
  const { control, name, label, options, helperText, disabled, free = false, check, placeholder } = props;
  const { field, fieldState } = useController({
    control,
    name,
    rules: { validate: (value: string[]) => check?.(value) ?? true },
  });
  return (
    <Autocomplete<string, true, false, boolean>
      multiple
      disableCloseOnSelect
      freeSolo={free}
      disabled={disabled}
      options={options}
      value={field.value ?? []}
      onChange={(_, value) => field.onChange(value)}
      onBlur={field.onBlur}
      onFocus={bringIntoView}
      data-hint
      onMouseOver={hintCut}
      limitTags={24}
      size="small"
      slotProps={{ chip: { size: 'small' } }}
      renderInput={(params) => (
        <TextField
          {...params}
          label={label}
          placeholder={placeholder}
          error={Boolean(fieldState.error)}
          helperText={fieldState.error?.message || helperText}
          inputRef={field.ref}
        />
      )}
    />
  );
}
