import Button from '@mui/material/Button';
import Box from '@mui/material/Box';
import Checkbox from '@mui/material/Checkbox';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import FormControlLabel from '@mui/material/FormControlLabel';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { TextKey } from '../../app/i18n/text-keys.js';
import { useSay } from '../../app/i18n/text-keys.js';
import { DeniableButton } from '../feedback/deniable-button.js';
import type { Shown } from './table-columns.js';

interface ColumnSettingsProps {
  columns: { id: string; header: TextKey; defaultHidden?: boolean }[];
  shown: Shown;
  onSave: (shown: Shown) => void;
  onClose: () => void;
}

/** Changes apply when OK is pressed; cancelling drops them. */
export function ColumnSettings({ columns, shown, onSave, onClose }: ColumnSettingsProps) {
  const { t } = useTranslation();
  const say = useSay();
  const defaults = Object.fromEntries(columns.map(({ id, defaultHidden }) => [id, !defaultHidden]));
  const [draft, setDraft] = useState<Shown>({ ...defaults, ...shown });
  const on = columns.filter(({ id }) => draft[id]).length;
  const all = on === columns.length;
  return (
    <Dialog open onClose={onClose} fullWidth maxWidth="xs" aria-labelledby="columns-title">
      <DialogTitle id="columns-title">{t('table.columns')}</DialogTitle>
      <DialogContent>
        <FormControlLabel
          label={t('table.all')}
          control={
            <Checkbox
              checked={all}
              indeterminate={on > 0 && !all}
              onChange={() => setDraft(Object.fromEntries(columns.map(({ id }) => [id, !all])))}
            />
          }
        />
        <Box sx={{ display: 'grid', gridTemplateColumns: '1fr 1fr' }}>
          {columns.map(({ id, header }) => (
            <FormControlLabel
              key={id}
              label={say(header)}
              control={
                <Checkbox
                  checked={draft[id] ?? true}
                  onChange={(_, checked) => setDraft({ ...draft, [id]: checked })}
                />
              }
            />
          ))}
        </Box>
      </DialogContent>
      <DialogActions>
        <Button onClick={() => setDraft(defaults)} sx={{ mr: 'auto' }}>
          {t('action.reset')}
        </Button>
        <Button onClick={onClose}>{t('action.cancel')}</Button>
        <DeniableButton
          variant="contained"
          denied={on === 0 ? t('table.noColumns') : undefined}
          onClick={() => {
            onSave(draft);
            onClose();
          }}
        >
          {t('action.ok')}
        </DeniableButton>
      </DialogActions>
    </Dialog>
  );
}
