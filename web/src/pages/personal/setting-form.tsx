import Button from '@mui/material/Button';
import Stack from '@mui/material/Stack';
import type { ReactNode, SyntheticEvent } from 'react';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { toastShown } from '../../app/slices/toasts.js';
import { useAppDispatch } from '../../app/store.js';
import { Refusal } from '../../components/feedback/refusal.js';
import { Card } from '../../components/layout/card.js';

export interface DirtyReport {
  /** One page has one guard, so every form tells whether it holds something unsaved. */
  onDirty: (form: string, dirty: boolean) => void;
}

export function useReport(form: string, dirty: boolean, onDirty: DirtyReport['onDirty']): void {
  useEffect(() => onDirty(form, dirty), [form, dirty, onDirty]);
}

/** Says that there is nothing to save instead of making a call. */
export function useNothingChanged() {
  const dispatch = useAppDispatch();
  return () => dispatch(toastShown({ severity: 'warning', key: 'form.nothingChanged' }));
}

interface SettingFormProps {
  title: string;
  dirty: boolean;
  busy: boolean;
  error: unknown;
  /** In the place of the error, where somebody else changed the same. */
  conflict?: ReactNode;
  onSubmit: (event: SyntheticEvent) => void;
  onReset: () => void;
  children: ReactNode;
}

/** A card that is saved by itself: its refusal stands in it, and its typed values stay. */
export function SettingForm({ title, dirty, busy, error, conflict, onSubmit, onReset, children }: SettingFormProps) {
  const { t } = useTranslation('personal');
  return (
    <Card title={title}>
      <Stack component="form" noValidate spacing={2.5} onSubmit={onSubmit} sx={{ pt: 0.75 }}>
        {conflict ?? (error != null && <Refusal error={error} />)}
        {children}
        <Stack direction="row" spacing={1}>
          <Button type="submit" variant={dirty ? 'contained' : 'outlined'} loading={busy}>
            {t('save')}
          </Button>
          {dirty && <Button onClick={onReset}>{t('action.undo')}</Button>}
        </Stack>
      </Stack>
    </Card>
  );
}
