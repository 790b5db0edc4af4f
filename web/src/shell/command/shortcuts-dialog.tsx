import type { TextOf } from '../../app/i18n/text-keys.js';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import { useId } from 'react';
import { useTranslation } from 'react-i18next';

/** Shortcuts by the place where they work; a slash separates keys with the same effect. */
const shortcuts = {
  anywhere: [
    ['palette', 'Ctrl K / ⌘ K'],
    ['newTab', 'Ctrl Enter / ⌘ Enter'],
    ['help', '?'],
    ['close', 'Esc'],
  ],
  table: [
    ['move', '↓ ↑ / j k'],
    ['open', 'Enter'],
    ['select', 'Space / x'],
    ['expand', '→ ←'],
    ['more', '.'],
    ['filter', 'Esc'],
  ],
  form: [['submit', 'Ctrl Enter / ⌘ Enter']],
  playground: [
    ['send', 'Enter'],
    ['line', 'Shift Enter'],
  ],
} as const;

const key = {
  fontFamily: 'monospace',
  fontSize: 12,
  border: '1px solid',
  borderColor: 'border.control',
  borderRadius: '4px',
  px: 0.75,
  whiteSpace: 'nowrap',
} as const;

/** A list of all keyboard shortcuts of the console. */
export function ShortcutsDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation('command');
  const id = useId();
  return (
    <Dialog open onClose={onClose} fullWidth maxWidth="xs" aria-labelledby={id}>
      <DialogTitle id={id} variant="h6">
        {t('keys.title')}
      </DialogTitle>
      <DialogContent>
        {Object.entries(shortcuts).map(([place, rows]) => (
          <Box component="section" key={place} sx={{ mb: 2 }}>
            <Box component="h3" sx={{ typography: 'subtitle2', m: 0, mb: 0.5 }}>
              {t(`keys.${place}` as TextOf<'command'>)}
            </Box>
            <Box component="dl" sx={{ m: 0, display: 'grid', gridTemplateColumns: '1fr auto', rowGap: 0.75 }}>
              {rows.map(([name, keys]) => (
                <Box key={name} sx={{ display: 'contents' }}>
                  <Box component="dt" sx={{ color: 'text.secondary' }}>
                    {t(`keys.${name}`)}
                  </Box>
                  <Box component="dd" sx={{ m: 0, textAlign: 'right' }}>
                    <Box component="kbd" sx={key}>
                      {keys}
                    </Box>
                  </Box>
                </Box>
              ))}
            </Box>
          </Box>
        ))}
      </DialogContent>
      <DialogActions>
        <Button onClick={onClose} variant="contained" autoFocus>
          {t('action.close')}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
