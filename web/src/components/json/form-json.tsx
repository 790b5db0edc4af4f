import type { Control, FieldPath, FieldValues } from 'react-hook-form';
import { useController } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { JsonEditor } from './json-editor.js';
import { jsonFault } from './json-text.js';

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

/** A JSON object as text, judged when it is left. */
export function FormJson<T extends FieldValues>({
  control,
  name,
  invalid,
  check,
  helperText,
  ...editor
}: FormJsonProps<T>) {
  const { t } = useTranslation();
  const validate = (text: string) => {
    const fault = jsonFault(text);
    if (fault) return `${invalid} (${t('json.place', { line: fault.line, column: fault.column, near: fault.near })})`;
    return check?.(text) ?? true;
  };
  const { field, fieldState } = useController({ control, name, rules: { validate } });
  return (
    <JsonEditor
      {...editor}
      name={name}
      value={String(field.value ?? '')}
      onText={field.onChange}
      onBlur={field.onBlur}
      inputRef={field.ref}
      error={Boolean(fieldState.error)}
      helperText={fieldState.error?.message || helperText}
    />
  );
}
