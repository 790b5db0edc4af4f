import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import type { Redemption } from '@tollgate/contracts/api/redemption';
import { useTranslation } from 'react-i18next';
import { CopyButton } from '../../components/texts/copy-button.js';
import { Field } from '../../components/forms/field.js';

/** One code in full. */
export function CodeDialog({ code, onClose }: { code: Redemption; onClose: () => void }) {
  const { t } = useTranslation('redemption');
  const label = t('codeOf', { name: code.name });
  return (
    <Dialog open onClose={onClose} fullWidth maxWidth="sm" aria-labelledby="code-title">
      <DialogTitle id="code-title" variant="h6">
        {label}
      </DialogTitle>
      <DialogContent>
        <Field label={label} hideLabel mono readOnly value={code.key} end={<CopyButton text={code.key} />} />
      </DialogContent>
      <DialogActions>
        <Button onClick={onClose}>{t('action.close')}</Button>
      </DialogActions>
    </Dialog>
  );
}
