import HideIcon from '@mui/icons-material/VisibilityOffOutlined';
import ShowIcon from '@mui/icons-material/VisibilityOutlined';
import IconButton from '@mui/material/IconButton';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { FieldProps } from './field.js';
import { Field } from './field.js';

interface PasswordFieldProps extends FieldProps {
  autoComplete: 'current-password' | 'new-password' | 'off';
}

/** A password field with a button to show the text; `autoComplete` distinguishes a current password from a new one. */
export function PasswordField(props: PasswordFieldProps) {
  const { t } = useTranslation();
  const [visible, setVisible] = useState(false);
  const label = visible ? t('form.hidePassword') : t('form.showPassword');
  return (
    <Field
      {...props}
      type={visible ? 'text' : 'password'}
      spellCheck={false}
      autoCapitalize="none"
      end={
        <IconButton
          size="small"
          aria-label={label}
          title={label}
          aria-pressed={visible}
          onClick={() => setVisible(!visible)}
        >
          {visible ? <HideIcon fontSize="small" /> : <ShowIcon fontSize="small" />}
        </IconButton>
      }
    />
  );
}
