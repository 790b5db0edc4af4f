import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Typography from '@mui/material/Typography';
import type { Passkey } from '@tollgate/contracts/api/second-factor';
import { textLimits } from '@tollgate/contracts/text-limits';
import type { SyntheticEvent } from 'react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import * as z from 'zod/mini';
import { useRenamePasskeyMutation } from '../../api/factor.api.js';
import { Field } from '../../components/forms/field.js';
import { FormDialog } from '../../components/overlays/form-dialog.js';
import { useRefusedInputs } from '../../components/forms/use-refused-inputs.js';
import { useKept } from '../../components/forms/use-kept.js';
import { Tag } from '../../components/texts/tag.js';
import { TimeText } from '../../components/texts/time-text.js';

function RenameDialog({ passkey, onClose }: { passkey: Passkey; onClose: () => void }) {
  const { t } = useTranslation('personal');
  const [name, setName] = useState(passkey.name);
  const dirty = name !== passkey.name;
  useKept<string>({
    id: `passkey-${passkey.id}`,
    typed: () => (dirty ? name : undefined),
    restore: setName,
    schema: z.string(),
  });
  const [rename, { isLoading, error }] = useRenamePasskeyMutation();
  const { field, rest } = useRefusedInputs(error, { name });
  const submit = async (event: SyntheticEvent) => {
    event.preventDefault();
    if (!(await rename({ id: passkey.id, name })).error) onClose();
  };
  return (
    <FormDialog
      title={t('factors.rename')}
      submitLabel={t('factors.rename')}
      busy={isLoading}
      error={rest}
      dirty={dirty}
      onSubmit={submit}
      onClose={onClose}
    >
      <Field
        label={t('factors.passkeyName')}
        {...field('name')}
        value={name}
        onChange={(event) => setName(event.target.value)}
        maxLength={textLimits.passkeyName.most}
        autoFocus
      />
    </FormDialog>
  );
}

interface PasskeyListProps {
  passkeys: readonly Passkey[];
  onDelete: (passkey: Passkey) => void;
}

export function PasskeyList({ passkeys, onDelete }: PasskeyListProps) {
  const { t } = useTranslation('personal');
  const [renaming, setRenaming] = useState<Passkey>();
  return (
    <>
      <Box component="ul" sx={{ listStyle: 'none', m: 0, p: 0, width: '100%' }} aria-label={t('factors.passkeys')}>
        {passkeys.map((passkey) => (
          <Box
            component="li"
            key={passkey.id}
            sx={{
              display: 'flex',
              alignItems: 'center',
              gap: 1,
              py: 0.75,
              borderBottom: 1,
              borderColor: 'border.subtle',
            }}
          >
            <Box sx={{ flex: 1, minWidth: 0 }}>
              <Typography variant="body2" sx={{ overflowWrap: 'anywhere' }}>
                {passkey.name}{' '}
                {!passkey.usable && <Tag color="orange">{t('factors.otherHost', { host: passkey.host })}</Tag>}
              </Typography>
              <Typography variant="caption" component="p" sx={{ color: 'text.secondary' }}>
                {t('factors.made')} <TimeText at={passkey.created_at} />
                {passkey.last_used_at > 0 && (
                  <>
                    {' · '}
                    {t('factors.used')} <TimeText at={passkey.last_used_at} mode="relative" />
                  </>
                )}
              </Typography>
            </Box>
            <Button
              size="small"
              aria-label={`${t('factors.rename')} ${passkey.name}`}
              onClick={() => setRenaming(passkey)}
            >
              {t('factors.rename')}
            </Button>
            <Button
              size="small"
              color="error"
              aria-label={`${t('factors.delete')} ${passkey.name}`}
              onClick={() => onDelete(passkey)}
            >
              {t('factors.delete')}
            </Button>
          </Box>
        ))}
      </Box>
      {renaming && <RenameDialog passkey={renaming} onClose={() => setRenaming(undefined)} />}
    </>
  );
}
