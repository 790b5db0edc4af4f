import Button from '@mui/material/Button';
import Stack from '@mui/material/Stack';
import type { Control, FieldPath, FieldValues } from 'react-hook-form';
import { useController } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { Field } from './field.js';
import { jsonFault, layOut } from './json-text.js';

interface FormJsonProps<T extends FieldValues> {
  control: Control<T>;
  name: FieldPath<T>;
  label: string;
  helperText?: string;
  placeholder?: string;
  /** Put in on request. */
  template?: string;
  /** The sentence of the spec for this field. */
  invalid: string;
  /** What else the text must be; undefined: it is fine. Not asked about text that is no JSON. */
  check?: (text: string) => string | undefined;
}

const small = { minHeight: 24, px: 1, py: 0 };

/** A JSON object as text, judged when it is left; what is invalid stays as it was typed. */
export function FormJson<T extends FieldValues>({
  control,
  name,
  label,
  helperText,
  placeholder,
  template,
  invalid,
  check,
}: FormJsonProps<T>) {
  const { t } = useTranslation();
  const validate = (text: string) => {
    const fault = jsonFault(text);
    if (fault) return `${invalid} (${t('json.place', { line: fault.line, column: fault.column, near: fault.near })})`;
    return check?.(text) ?? true;
  };
  const { field, fieldState } = useController({ control, name, rules: { validate } });
  const text = String(field.value ?? '');
  return (
    <div>
      <Field
        multiline
        mono
        rows={3}
        label={label}
        value={text}
        onChange={field.onChange}
        onBlur={field.onBlur}
        inputRef={field.ref}
        placeholder={placeholder}
        spellCheck={false}
        error={Boolean(fieldState.error)}
        helperText={fieldState.error?.message || helperText}
      />
      <Stack direction="row" spacing={0.5} sx={{ mt: 0.5 }}>
        {template && (
          <Button
            size="small"
            sx={small}
            disabled={text.trim() !== ''}
            title={text.trim() === '' ? undefined : t('json.notEmpty')}
            onClick={() => field.onChange(template)}
          >
            {t('json.template')}
          </Button>
        )}
        <Button
          size="small"
          sx={small}
          disabled={text.trim() === '' || jsonFault(text) !== undefined}
          onClick={() => field.onChange(layOut(text))}
        >
          {t('json.format')}
        </Button>
      </Stack>
    </div>
  );
}
