import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import Typography from '@mui/material/Typography';
import type { AuditEntry } from '@tollgate/contracts/api/audit';
import { useTranslation } from 'react-i18next';
import { DefinitionList } from '../../components/layout/definition-list.js';
import { DifferenceList } from '../../components/tables/difference-list.js';
import { OwnWords } from '../../components/texts/own-words.js';
import { formatTime } from '../../components/basics/time-format.js';
import { ActionName } from './action-name.js';
import { differencesOf, undoOf } from './undo.js';

interface EntryDialogProps {
  entry: AuditEntry;
  who: string;
  onUndo: () => void;
  onClose: () => void;
}

/** The action in words, and by its name in exports and in the API. */
const Action = ({ action }: Pick<AuditEntry, 'action'>) => (
  <>
    <ActionName action={action} />{' '}
    <Typography variant="caption" sx={{ color: 'text.tertiary', whiteSpace: 'nowrap' }}>
      {action}
    </Typography>
  </>
);

/** One change in full. A change that cannot be undone is shown with the reason. */
export function EntryDialog({ entry, who, onUndo, onClose }: EntryDialogProps) {
  const { t } = useTranslation('audit');
  const undo = undoOf(entry);
  const reason = typeof undo === 'string' ? t(`noUndo.${undo}`) : undefined;
  const rows = differencesOf(entry);
  return (
    <Dialog open onClose={onClose} fullWidth maxWidth="md" aria-labelledby="entry">
      <DialogTitle id="entry" variant="h6" sx={{ overflowWrap: 'anywhere' }}>
        {entry.subject}
      </DialogTitle>
      <DialogContent>
        <DefinitionList
          rows={[
            { label: t('column.time'), value: formatTime(entry.created_at) },
            { label: t('column.actor'), value: who },
            { label: t('column.action'), value: <Action action={entry.action} /> },
            ...(entry.text === '' ? [] : [{ label: t('text'), value: <OwnWords text={entry.text} /> }]),
          ]}
        />
        {rows.length > 0 && <DifferenceList rows={rows} />}
      </DialogContent>
      <DialogActions>
        {reason && <span style={{ flex: 1, paddingLeft: 16 }}>{reason}</span>}
        {!reason && (
          <Button color="error" onClick={onUndo}>
            {t('undo.action')}
          </Button>
        )}
        <Button onClick={onClose}>{t('action.close')}</Button>
      </DialogActions>
    </Dialog>
  );
}
