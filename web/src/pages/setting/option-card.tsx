import Box from '@mui/material/Box';
import Stack from '@mui/material/Stack';
import type { ReactNode } from 'react';
import { Suspense, memo } from 'react';
import { useTranslation } from 'react-i18next';
import { knownKey } from '../../app/i18n/text-keys.js';
import { Placeholder } from '../../components/feedback/busy.js';
import { Callout } from '../../components/feedback/callout.js';
import { Card } from '../../components/layout/card.js';
import { useOptionDraft } from './option-draft.js';
import { OptionField } from './option-field.js';
import { SaveRow, Together, grid, useAsk } from './save-card.js';
import type { SettingField, SettingCard } from './setting-fields.js';
import { textOf } from './setting-fields.js';
import { useSaveOptions } from './use-save-options.js';
import { lazyPart } from '../../components/basics/lazy-part.js';

const LogClear = lazyPart(async () => (await import('./log-clear.js')).LogClear);
const MailTest = lazyPart(async () => (await import('./mail-trial.js')).MailTest);
const OidcDiscovery = lazyPart(async () => (await import('./oidc-discovery.js')).OidcDiscovery);
const RatioArea = lazyPart(async () => (await import('./ratio/ratio-area.js')).RatioArea);
const SystemInfo = lazyPart(async () => (await import('./system-info.js')).SystemInfo);

const extras = {
  'log-clear': LogClear,
  'mail-test': MailTest,
  oidc: OidcDiscovery,
  ratio: RatioArea,
  'system-info': SystemInfo,
} as const;

/** A field with a button that names it. Each is saved for itself, so that only the one that is being saved is busy. */
function One({ field }: { field: SettingField }) {
  const { t } = useTranslation('setting');
  const { save, busy } = useSaveOptions(useOptionDraft());
  return (
    <Stack spacing={1}>
      <div>
        <OptionField field={field} />
      </div>
      <SaveRow
        fields={[field]}
        label={t(textOf('saveField', field.key))}
        busy={busy}
        onSave={() => void save([field], knownKey(`setting:saved.${field.key}`))}
      />
    </Stack>
  );
}

const Each = ({ card }: { card: SettingCard }) => (
  <Stack spacing={2.5}>
    {card.fields.map((field) => (
      <One key={field.key} field={field} />
    ))}
  </Stack>
);

/** Switches that are saved when pressed. A switch whose change was refused keeps its state and shows why. */
function AtOnce({ card }: { card: SettingCard }) {
  const draft = useOptionDraft();
  const { saveNow, busy } = useSaveOptions(draft);
  const { ask, dialog } = useAsk();
  const press = (field: SettingField, on: boolean) => {
    const change = () => saveNow(field, String(on));
    if (field.asks === (on ? 'on' : 'off')) ask(field, change);
    else void change();
  };
  return (
    <Box sx={{ ...grid, rowGap: 0.5 }}>
      {card.fields.map((field) => (
        <OptionField key={field.key} field={field} onFlag={press} busy={busy} />
      ))}
      {dialog}
    </Box>
  );
}

const bodies = { together: Together, each: Each, now: AtOnce } as const;

/** One card of a tab. */
export const OptionCard = memo(function OptionCard({ card, children }: { card: SettingCard; children?: ReactNode }) {
  const { t } = useTranslation('setting');
  const { id, fields, saves = 'together', intro, extra } = card;
  const Body = bodies[saves];
  const Extra = extra && extras[extra];
  return (
    <Card title={t(textOf('card', id))} id={`card-${id}`}>
      <Stack spacing={2}>
        {intro && <Callout severity="info">{t(textOf('intro', id))}</Callout>}
        {fields.length > 0 && <Body card={card} />}
        {Extra && (
          <Suspense fallback={<Placeholder sx={{ height: 96 }} />}>
            <Extra />
          </Suspense>
        )}
        {children}
      </Stack>
    </Card>
  );
});
