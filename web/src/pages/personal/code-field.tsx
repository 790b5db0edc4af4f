import { useTranslation } from 'react-i18next';
import { Field } from '../../components/field.js';

interface CodeFieldProps {
  code: string;
  onCode: (code: string) => void;
  autoFocus?: boolean;
}

/** For a code of the app or a recovery code. */
export function CodeField({ code, onCode, autoFocus }: CodeFieldProps) {
  const { t } = useTranslation('personal');
  return (
    <Field
      label={t('factors.code')}
      name="code"
      value={code}
      onChange={(event) => onCode(event.target.value)}
      autoComplete="one-time-code"
      autoCapitalize="none"
      spellCheck={false}
      maxLength={32}
      mono
      autoFocus={autoFocus}
    />
  );
}
