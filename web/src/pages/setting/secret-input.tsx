import Button from '@mui/material/Button';
import Stack from '@mui/material/Stack';
import Typography from '@mui/material/Typography';
import type { OptionKey } from '@tollgate/contracts/options/index';
import { useTranslation } from 'react-i18next';
import { PasswordField } from '../../components/forms/password-field.js';
import { useConfirm } from '../../components/overlays/use-confirm.js';
import { useWriteOptions } from './use-save-options.js';

interface SecretInputProps {
  name: OptionKey;
  label: string;
  value: string;
  isSet: boolean;
  onText: (text: string) => void;
  onBlur: () => void;
  error?: boolean;
  helperText?: string;
  denied?: string;
}

/**
 * The server never sends a stored secret: typing replaces it, an empty field keeps it, and removing it has a button of
 * its own.
 */
export function SecretInput({ name, label, value, isSet, onText, helperText, ...input }: SecretInputProps) {
  const { t } = useTranslation('setting');
  const { confirm, dialog } = useConfirm();
  const write = useWriteOptions();
  const clear = () =>
    confirm({
      title: t('secret.clearTitle', { label }),
      consequences: [t('secret.clearBody'), t('confirm.irreversible')],
      confirm: { label: t('action.clear'), danger: true },
      run: async () => {
        const [outcome] = await write([{ key: name, value: '', clear: true }]);
        if (outcome?.error) throw outcome.error;
      },
    });
  return (
    <div>
      <PasswordField
        {...input}
        name={name}
        label={label}
        value={value}
        onChange={(event) => onText(event.target.value)}
        placeholder={t('form.secretHint')}
        autoComplete="new-password"
        helperText={helperText}
      />
      <Stack direction="row" spacing={1} sx={{ alignItems: 'center', minHeight: 24, mt: 0.5, px: 1.5 }}>
        <Typography variant="caption" sx={{ color: isSet ? 'success.main' : 'text.tertiary' }}>
          {t(isSet ? 'form.secretSet' : 'form.secretUnset')}
        </Typography>
        {isSet && input.denied === undefined && (
          <Button size="small" color="error" onClick={clear} sx={{ minHeight: 24, py: 0 }}>
            {t('action.clear')}
          </Button>
        )}
      </Stack>
      {dialog}
    </div>
  );
}
