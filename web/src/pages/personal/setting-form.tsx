import Button from '@mui/material/Button';
import Stack from '@mui/material/Stack';
import type { ReactNode, SyntheticEvent } from 'react';
import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { toastShown } from '../../app/slices/toasts.js';
import { useAppDispatch } from '../../app/store.js';
import { BusyButton } from '../../components/basics/busy-button.js';
import { Refusal } from '../../components/feedback/refusal.js';
import { Card } from '../../components/layout/card.js';

export interface DirtyReport {
  /** Each form reports whether it has unsaved changes, because the page has a single guard for all of them. */
  onDirty: (form: string, dirty: boolean) => void;
}

export function useReport(form: string, dirty: boolean, onDirty: DirtyReport['onDirty']): void {
  useEffect(() => onDirty(form, dirty), [form, dirty, onDirty]);
}

/** Shows a toast that nothing changed, instead of a request. */
export function useNothingChanged() {
  const dispatch = useAppDispatch();
  return () => dispatch(toastShown({ severity: 'warning', key: 'form.nothingChanged' }));
}

interface SettingFormProps {
  title: string;
  dirty: boolean;
  busy: boolean;
  error: unknown;
  /** Shown instead of the error when somebody else changed the same fields. */
  conflict?: ReactNode;
  onSubmit: (event: SyntheticEvent) => void;
  onReset: () => void;
  children: ReactNode;
}

/** A card with its own submit. It shows its own errors and keeps the typed values after one. */
export function SettingForm({ title, dirty, busy, error, conflict, onSubmit, onReset, children }: SettingFormProps) {
  const { t } = useTranslation('personal');
  const save = useRef<HTMLButtonElement>(null);
  const undo = () => {
    // The button to undo goes away now, and must not take the focus with it.
    save.current?.focus();
    onReset();
  };
  return (
    <Card title={title}>
      <Stack component="form" noValidate spacing={2.5} onSubmit={onSubmit} sx={{ pt: 0.75 }}>
        {conflict ?? (error != null && <Refusal error={error} />)}
        {children}
        <Stack direction="row" spacing={1}>
          <BusyButton ref={save} type="submit" variant={dirty ? 'contained' : 'outlined'} busy={busy}>
            {t('save')}
          </BusyButton>
          {dirty && <Button onClick={undo}>{t('action.undo')}</Button>}
        </Stack>
      </Stack>
    </Card>
  );
}
