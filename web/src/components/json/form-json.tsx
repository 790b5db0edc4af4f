import type { Control, FieldPath, FieldValues } from 'react-hook-form';
import { useController } from 'react-hook-form';
import { useSay } from '../../app/i18n/text-keys.js';
import { faultText } from './fault-text.js';
import { JsonEditor } from './json-editor.js';
import { jsonFault } from './json-text.js';

interface FormJsonProps<T extends FieldValues> {
  control: Control<T>;
  name: FieldPath<T>;
  label: string;
  helperText?: string;
  placeholder?: string;
  /** Text that a button inserts. */
  template?: string;
  /** The message that the spec defines for this field. */
  invalid: string;
  /** Further validation of valid JSON: returns a message, or `undefined` if the text is valid. */
  check?: (text: string) => string | undefined;
}

/** A form field for a JSON object as text; it is validated when the user leaves it. */
export function FormJson<T extends FieldValues>({
  control,
  name,
  invalid,
  check,
  helperText,
  ...editor
}: FormJsonProps<T>) {
  const say = useSay();
  const validate = (text: string) => {
    const fault = jsonFault(text);
    if (fault) return `${invalid} (${faultText(say, fault)})`;
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
