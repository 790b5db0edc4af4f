import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import Stack from '@mui/material/Stack';
import { skipToken } from '@reduxjs/toolkit/query';
import type { Channel } from '@tollgate/contracts/api/channel';
import type { Why, WhyChannel } from '@tollgate/contracts/api/channel-health';
import { whyEndpoints } from '@tollgate/contracts/api/why-endpoints';
import type { SyntheticEvent } from 'react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useListEnabledModelsQuery, useListGroupNamesQuery } from '../../../api/catalogue.api.js';
import type { WhyRequest } from '../../../api/channel-health.api.js';
import { useGetChannelQuery } from '../../../api/channel.api.js';
import { useWhyChannelsQuery } from '../../../api/channel-health.api.js';
import { Placeholder } from '../../../components/feedback/busy.js';
import { Callout } from '../../../components/feedback/callout.js';
import { Field } from '../../../components/forms/field.js';
import { NativeField } from '../../../components/forms/native-field.js';
import { ErrorState } from '../../../components/feedback/states.js';
import { Tag } from '../../../components/texts/tag.js';
import { splitNames } from '../channel-facts.js';

const colors = { first: 'green', retry: 'blue', never: 'grey', out: 'orange' } as const;

function Row({ row, asked }: { row: WhyChannel; asked: boolean }) {
  const { t } = useTranslation('channel');
  const { place, reasons, priority, weight, share } = row;
  return (
    <Box
      component="li"
      sx={{
        py: 1,
        px: 1,
        borderTop: 1,
        borderColor: 'border.subtle',
        bgcolor: asked ? 'background.sunken' : undefined,
      }}
    >
      <Box sx={{ display: 'flex', gap: 1, alignItems: 'center', flexWrap: 'wrap' }}>
        <Tag color={colors[place]}>{t(`choice.place.${place}`)}</Tag>
        <Box sx={{ flex: 1, minWidth: 140, overflowWrap: 'anywhere', fontWeight: asked ? 600 : undefined }}>
          #{row.id} {row.name}
        </Box>
        <Box sx={{ typography: 'caption', color: 'text.secondary' }}>
          {t('choice.rank', { priority, weight })}
          {share > 0 && ` · ${t('choice.share', { share: (share * 100).toFixed(0) })}`}
        </Box>
      </Box>
      {reasons.map(({ code, params }) => (
        <Box key={code} sx={{ typography: 'body2', color: 'text.secondary', overflowWrap: 'anywhere' }}>
          {t(`choice.reason.${code}`, params)}
        </Box>
      ))}
    </Box>
  );
}

function Answer({ why, asked }: { why: Why; asked?: number }) {
  const { t } = useTranslation('channel');
  const { obstacles, channels, total, tries } = why;
  return (
    <Stack spacing={1.5}>
      {obstacles.map((obstacle) => (
        <Callout key={obstacle} severity="warning">
          {t(`choice.obstacle.${obstacle}`)}
        </Callout>
      ))}
      <Box sx={{ typography: 'body2', color: 'text.secondary' }}>{t('choice.tries', { count: tries })}</Box>
      {channels.length === 0 && <Box>{t('choice.none')}</Box>}
      <Box component="ol" sx={{ listStyle: 'none', m: 0, p: 0 }}>
        {channels.map((row) => (
          <Row key={row.id} row={row} asked={row.id === asked} />
        ))}
      </Box>
      {channels.length < total && (
        <Box sx={{ color: 'text.secondary' }}>{t('choice.cut', { total, shown: channels.length })}</Box>
      )}
    </Stack>
  );
}

/** The initial question: the first group and model of the channel. */
function firstQuestion(channel: Channel | undefined): WhyRequest {
  const group = splitNames(channel?.group)[0] ?? 'default';
  return { group, model: splitNames(channel?.models)[0] ?? '', endpoint: '', channel: channel?.id };
}

/** The fields need more space between them when they are stacked, because their labels lie on their frames. */
const ROOM = { xs: 2, sm: 1 };

interface QuestionFormProps {
  first: WhyRequest;
  busy: boolean;
  onAsk: (question: WhyRequest) => void;
}

function QuestionForm({ first, busy, onAsk }: QuestionFormProps) {
  const { t } = useTranslation('channel');
  const { data: groups = [] } = useListGroupNamesQuery();
  const { data: models = [] } = useListEnabledModelsQuery();
  const [form, setForm] = useState(first);
  const change = (part: Partial<WhyRequest>) => setForm((now) => ({ ...now, ...part }));
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    if (form.model.trim() !== '') onAsk(form);
  };
  const endpointOptions = ['' as const, ...whyEndpoints].map((value) => ({
    value,
    label: value === '' ? t('choice.anyEndpoint') : value,
  }));
  const names = [...new Set([form.group, ...groups])];
  return (
    <Stack
      component="form"
      onSubmit={submit}
      direction={{ xs: 'column', sm: 'row' }}
      spacing={ROOM}
      sx={{ mb: 2, pt: 1, alignItems: { sm: 'flex-start' } }}
    >
      <NativeField
        label={t('choice.group')}
        value={form.group}
        onChange={(group) => change({ group })}
        options={names.map((value) => ({ value, label: value }))}
      />
      <Field
        label={t('choice.model')}
        value={form.model}
        list="choice-models"
        autoFocus
        onChange={(event) => change({ model: event.target.value })}
      />
      <datalist id="choice-models">
        {models.map((model) => (
          <option key={model} value={model} />
        ))}
      </datalist>
      <NativeField
        label={t('choice.endpoint')}
        value={form.endpoint}
        onChange={(endpoint) => change({ endpoint: endpoint as WhyRequest['endpoint'] })}
        options={endpointOptions}
      />
      {/* Not disabled while fetching: a disabled button loses the focus, and Escape would no longer close the dialog. */}
      <Button type="submit" variant="contained" aria-busy={busy} sx={{ flexShrink: 0 }}>
        {t('choice.ask')}
      </Button>
    </Stack>
  );
}

function Question({ channel }: { channel?: Channel }) {
  const [first] = useState(() => firstQuestion(channel));
  const [asked, setAsked] = useState(channel && first);
  const { currentData, error, isFetching, refetch } = useWhyChannelsQuery(asked ?? skipToken);
  return (
    <>
      <QuestionForm first={first} busy={isFetching} onAsk={setAsked} />
      {error && <ErrorState error={error} retry={() => void refetch()} />}
      {!error && asked && !currentData && <Placeholder sx={{ height: 160 }} />}
      {!error && currentData && <Answer why={currentData} asked={asked?.channel} />}
    </>
  );
}

/** The channel that the question is about; absent: no particular channel. */
export interface ChoiceOf {
  id: number;
  /** The row, if it is on the current page of the list. */
  row?: Channel;
}

interface ChoiceDialogProps {
  of?: ChoiceOf;
  onClose: () => void;
}

/** Explains which channels a request may go to, and why the others are excluded. */
export function ChoiceDialog({ of, onClose }: ChoiceDialogProps) {
  const { t } = useTranslation('channel');
  const isMissing = of !== undefined && of.row === undefined;
  const { currentData, error, refetch } = useGetChannelQuery(isMissing ? of.id : skipToken);
  const channel = of?.row ?? currentData;
  return (
    <Dialog open onClose={onClose} fullWidth maxWidth="md" aria-labelledby="choice-title">
      <DialogTitle id="choice-title" variant="h6">
        {t('choice.title')}
      </DialogTitle>
      <DialogContent>
        <Box sx={{ color: 'text.secondary', mb: 2 }}>{t('choice.purpose')}</Box>
        {isMissing && error && <ErrorState error={error} retry={() => void refetch()} />}
        {isMissing && !error && !channel && <Placeholder sx={{ height: 160 }} />}
        {(!of || channel) && <Question channel={channel} />}
      </DialogContent>
      <DialogActions>
        <Button onClick={onClose}>{t('action.close')}</Button>
      </DialogActions>
    </Dialog>
  );
}
