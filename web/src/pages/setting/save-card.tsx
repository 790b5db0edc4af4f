import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Stack from '@mui/material/Stack';
import Typography from '@mui/material/Typography';
import { useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { knownKey } from '../../app/i18n/text-keys.js';
import { toastShown } from '../../app/slices/toasts.js';
import { useAppDispatch } from '../../app/store.js';
import { BusyButton } from '../../components/basics/busy-button.js';
import { useConfirm } from '../../components/overlays/use-confirm.js';
import { useOptionDraft, useDraftValue } from './option-draft.js';
import { OptionField } from './option-field.js';
import type { SettingField, SettingCard } from './setting-fields.js';
import { textOf } from './setting-fields.js';
import { useSaveOptions } from './use-save-options.js';

export const grid = {
  display: 'grid',
  gridTemplateColumns: { xs: 'minmax(0, 1fr)', sm: 'repeat(2, minmax(0, 1fr))' },
  columnGap: 3,
  // A label lies on the upper border of its field, so fields need more space between rows than between columns.
  rowGap: 2.5,
  alignItems: 'start',
} as const;

/** Confirms a change before it runs. */
export function useAsk() {
  const { t } = useTranslation('setting');
  const { confirm, dialog } = useConfirm();
  const ask = ({ key }: SettingField, run: () => Promise<unknown> | void) =>
    confirm({
      title: t(textOf('ask', key, 'title')),
      consequences: [t(textOf('ask', key, 'body'))],
      confirm: { label: t(textOf('ask', key, 'action')), danger: true },
      run: async () => run(),
    });
  return { ask, dialog };
}

interface SaveRowProps {
  fields: readonly SettingField[];
  label: string;
  busy: boolean;
  onSave: () => void;
}

export function SaveRow({ fields, label, busy, onSave }: SaveRowProps) {
  const { t } = useTranslation('setting');
  const draft = useOptionDraft();
  const count = useDraftValue((now) => fields.filter(({ key }) => now.isChanged(key)).length);
  const save = useRef<HTMLButtonElement>(null);
  const undo = () => {
    // The button to undo goes away now, and must not take the focus with it.
    save.current?.focus();
    draft.forget(fields.filter(({ key }) => draft.isChanged(key)).map(({ key }) => key));
  };
  return (
    <Stack direction="row" spacing={1} sx={{ alignItems: 'center', flexWrap: 'wrap', rowGap: 1, gridColumn: '1 / -1' }}>
      <BusyButton ref={save} variant={count > 0 ? 'contained' : 'outlined'} busy={busy} onClick={onSave}>
        {label}
      </BusyButton>
      {count > 0 && (
        <>
          <Button onClick={undo}>{t('action.undo')}</Button>
          <Typography variant="caption" sx={{ color: 'text.secondary' }} role="status">
            {t('save.changed', { count })}
          </Typography>
        </>
      )}
    </Stack>
  );
}

/** All fields of a card with one button to save them. */
export function Together({ card }: { card: SettingCard }) {
  const { t } = useTranslation('setting');
  const dispatch = useAppDispatch();
  const draft = useOptionDraft();
  const { save, busy } = useSaveOptions(draft);
  const { ask, dialog } = useAsk();
  const { id, fields, needs } = card;
  const submit = () => {
    if (needs && draft.options[needs]?.value === '') {
      dispatch(toastShown({ severity: 'error', key: knownKey(`setting:missing.${needs}`) }));
      return;
    }
    const risky = fields.find(({ key, asks }) => asks === 'change' && draft.isChanged(key));
    if (risky && !draft.check(risky)) ask(risky, () => save(fields));
    else void save(fields);
  };
  const onFlag = (field: SettingField, on: boolean) => {
    const change = () => draft.change(field, String(on));
    if (field.asks === (on ? 'on' : 'off')) ask(field, change);
    else change();
  };
  return (
    <Box
      component="form"
      noValidate
      sx={grid}
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      {fields.map((field) => (
        <OptionField key={field.key} field={field} onFlag={onFlag} busy={busy} />
      ))}
      <SaveRow fields={fields} label={t(textOf('saveCard', id))} busy={busy} onSave={submit} />
      {dialog}
    </Box>
  );
}
