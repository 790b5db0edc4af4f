import { Field, type FieldProps } from './field.js';

interface CodeFieldProps extends Pick<FieldProps, 'label' | 'autoFocus' | 'error' | 'helperText' | 'inputRef'> {
  code: string;
  onCode: (code: string) => void;
}

/** For an authenticator's code or a recovery code. */
export function CodeField({ code, onCode, ...props }: CodeFieldProps) {
  return (
    <Field
      {...props}
      name="code"
      value={code}
      onChange={(event) => onCode(event.target.value)}
      autoComplete="one-time-code"
      autoCapitalize="none"
      spellCheck={false}
      maxLength={32}
      mono
    />
  );
}
