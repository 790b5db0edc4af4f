import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Stack from '@mui/material/Stack';
import Typography from '@mui/material/Typography';
import type { ReactNode } from 'react';
import { Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import { toastShown } from '../../app/slices/toasts.js';
import { useAppDispatch } from '../../app/store.js';
import { Callout } from '../../components/callout.js';
import { Card } from '../../components/card.js';
import { useConfirm } from '../../components/use-confirm.js';
import { useDraft } from './option-draft.js';
import { OptionField } from './option-field.js';
import type { SettingField, SettingSection } from './setting-fields.js';
import { textKey } from './setting-fields.js';
import { useSaveOptions } from './use-save-options.js';
import { lazyPart } from '../../components/lazy-part.js';

const LogClear = lazyPart(async () => (await import('./log-clear.js')).LogClear);
const OidcDiscovery = lazyPart(async () => (await import('./oidc-discovery.js')).OidcDiscovery);
const RatioArea = lazyPart(async () => (await import('./ratio/ratio-area.js')).RatioArea);
const SystemInfo = lazyPart(async () => (await import('./system-info.js')).SystemInfo);

const extras = { 'log-clear': LogClear, oidc: OidcDiscovery, ratio: RatioArea, 'system-info': SystemInfo } as const;

const grid = {
  display: 'grid',
  gridTemplateColumns: { xs: 'minmax(0, 1fr)', sm: 'repeat(2, minmax(0, 1fr))' },
  columnGap: 3,
  rowGap: 2,
  alignItems: 'start',
} as const;

/** Asks before what is hard to undo; otherwise does it. */
function useAsk() {
  const { t } = useTranslation('setting');
  const { confirm, dialog } = useConfirm();
  const ask = ({ key }: SettingField, run: () => Promise<unknown> | void) =>
    confirm({
      title: t(`ask.${textKey(key)}.title`),
      consequences: [t(`ask.${textKey(key)}.body`)],
      confirm: { label: t(`ask.${textKey(key)}.action`), danger: true },
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

function SaveRow({ fields, label, busy, onSave }: SaveRowProps) {
  const { t } = useTranslation('setting');
  const draft = useDraft();
  const changed = fields.filter(({ key }) => draft.isChanged(key)).map(({ key }) => key);
  return (
    <Stack direction="row" spacing={1} sx={{ alignItems: 'center', flexWrap: 'wrap', rowGap: 1, gridColumn: '1 / -1' }}>
      <Button variant={changed.length > 0 ? 'contained' : 'outlined'} loading={busy} onClick={onSave}>
        {label}
      </Button>
      {changed.length > 0 && (
        <>
          <Button onClick={() => draft.forget(changed)}>{t('action.undo')}</Button>
          <Typography variant="caption" sx={{ color: 'text.secondary' }} role="status">
            {t('save.changed', { count: changed.length })}
          </Typography>
        </>
      )}
    </Stack>
  );
}

/** All fields of the section with one button. */
export function Together({ section }: { section: SettingSection }) {
  const { t } = useTranslation('setting');
  const dispatch = useAppDispatch();
  const draft = useDraft();
  const { save, busy } = useSaveOptions(draft);
  const { ask, dialog } = useAsk();
  const { id, fields, needs } = section;
  const submit = () => {
    if (needs && draft.options[needs]?.value === '') {
      dispatch(toastShown({ severity: 'error', key: `setting:missing.${needs}` }));
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
      <SaveRow fields={fields} label={t(`saveSection.${id}`)} busy={busy} onSave={submit} />
      {dialog}
    </Box>
  );
}

/** One button per field, each with its own words. */
function Each({ section }: { section: SettingSection }) {
  const { t } = useTranslation('setting');
  const draft = useDraft();
  const { save, busy } = useSaveOptions(draft);
  return (
    <Stack spacing={2.5}>
      {section.fields.map((field) => (
        <Stack key={field.key} spacing={1}>
          <div>
            <OptionField field={field} />
          </div>
          <SaveRow
            fields={[field]}
            label={t(`saveField.${field.key}`)}
            busy={busy && draft.isChanged(field.key)}
            onSave={() => void save([field], `setting:saved.${field.key}`)}
          />
        </Stack>
      ))}
    </Stack>
  );
}

/** Switches that are saved when they are pressed; one that was refused stays as it was and says why. */
function AtOnce({ section }: { section: SettingSection }) {
  const draft = useDraft();
  const { saveNow, busy } = useSaveOptions(draft);
  const { ask, dialog } = useAsk();
  const press = (field: SettingField, on: boolean) => {
    const change = () => saveNow(field, String(on));
    if (field.asks === (on ? 'on' : 'off')) ask(field, change);
    else void change();
  };
  return (
    <Box sx={{ ...grid, rowGap: 0.5 }}>
      {section.fields.map((field) => (
        <OptionField key={field.key} field={field} onFlag={press} busy={busy} />
      ))}
      {dialog}
    </Box>
  );
}

const bodies = { together: Together, each: Each, now: AtOnce } as const;

/** One card of a tab. */
export function SectionCard({ section, children }: { section: SettingSection; children?: ReactNode }) {
  const { t } = useTranslation('setting');
  const { id, fields, saves = 'together', intro, extra } = section;
  const Body = bodies[saves];
  const Extra = extra && extras[extra];
  return (
    <Card title={t(`section.${id}`)} id={`section-${id}`} sx={{ scrollMarginTop: 72 }}>
      <Stack spacing={2}>
        {intro && <Callout severity="info">{t(`intro.${id}`)}</Callout>}
        {fields.length > 0 && <Body section={section} />}
        {Extra && (
          <Suspense fallback={null}>
            <Extra />
          </Suspense>
        )}
        {children}
      </Stack>
    </Card>
  );
}
