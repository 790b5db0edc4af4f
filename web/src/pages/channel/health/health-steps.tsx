import Box from '@mui/material/Box';
import type { ChannelHealth, HealthEvidence, HealthStep } from '@tollgate/contracts/api/channel-health';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import type { Definition } from '../../../components/layout/definition-list.js';
import { DefinitionList } from '../../../components/layout/definition-list.js';
import { StatusChip } from '../../../components/texts/status-chip.js';
import { TimeText } from '../../../components/texts/time-text.js';
import type { HealthLine } from './health-lines.js';
import { linesOf, lookOf, secondsText, sentenceOf } from './health-lines.js';

type Fields = Omit<HealthEvidence, 'probe'>;
const plain = ['status', 'error_code', 'error_type', 'message', 'model', 'balance'] as const;

/**
 * The evidence of a step as texts; missing parts are left out, and so is a status of 0, which means that the upstream
 * never answered.
 */
function useEvidence() {
  const { t } = useTranslation('channel');
  const rowsOf = (fields: Fields, name: (label: string) => string): Definition[] => {
    const rows: (Definition | undefined)[] = plain.map((field) => {
      const value = fields[field];
      if (value === undefined || value === '' || (field === 'status' && value === 0)) return undefined;
      return { label: name(t(`health.evidence.${field}`)), value: String(value) };
    });
    const { request_id: id, response_time: ms, observed_at: at, requests, users } = fields;
    if (ms !== undefined)
      rows.push({ label: name(t('health.evidence.response_time')), value: t('seconds', { time: secondsText(ms) }) });
    if (requests !== undefined)
      rows.push({
        label: name(t('health.evidence.requests')),
        value: t('health.evidence.requestsOf', { requests, users: users ?? 0 }),
      });
    if (id !== undefined)
      rows.push({
        label: name(t('health.evidence.request_id')),
        value: <Link to={`/log?request_id=${id}`}>{id}</Link>,
      });
    if (at !== undefined) rows.push({ label: name(t('health.evidence.observed_at')), value: <TimeText at={at} /> });
    return rows.filter((row) => row !== undefined);
  };
  return (reason: string, { probe, ...fields }: HealthEvidence): Definition[] => [
    ...(reason === '' || reason === fields.message ? [] : [{ label: t('health.evidence.reason'), value: reason }]),
    ...rowsOf(fields, (label) => label),
    ...(probe ? rowsOf(probe, (label) => t('health.evidence.probe', { label })) : []),
  ];
}

function Line({ at, chip, rows, children }: { at: number; chip: ReactNode; rows: Definition[]; children: ReactNode }) {
  const { t } = useTranslation('channel');
  return (
    <Box component="li" sx={{ py: 1, borderTop: 1, borderColor: 'border.subtle' }}>
      <Box sx={{ display: 'flex', gap: 1, alignItems: 'center', flexWrap: 'wrap' }}>
        {chip}
        <Box sx={{ flex: 1, minWidth: 180, overflowWrap: 'anywhere' }}>{children}</Box>
        <Box sx={{ typography: 'caption', color: 'text.secondary' }}>
          <TimeText at={at} mode="relative" />
        </Box>
      </Box>
      {rows.length > 0 && (
        <Box
          component="details"
          sx={{ mt: 0.5, '& summary': { cursor: 'pointer', color: 'primary.main', minHeight: 24 } }}
        >
          <Box component="summary" sx={{ typography: 'caption' }}>
            {t('health.evidence.show')}
          </Box>
          <DefinitionList rows={rows} />
        </Box>
      )}
    </Box>
  );
}

function useSentence() {
  const { t } = useTranslation('channel');
  return (step: HealthStep): string =>
    t(`health.step.${sentenceOf(step)}`, {
      actor: step.actor || t('health.step.someone', { id: step.actor_id }),
      from: step.from_status,
      to: step.to_status,
    });
}

function StepLine({ line }: { line: HealthLine }) {
  const { t } = useTranslation('channel');
  const evidenceOf = useEvidence();
  const sentence = useSentence();
  if (line.kind === 'step') {
    const { step } = line;
    return (
      <Line at={line.at} chip={<StatusChip status={lookOf(step)} />} rows={evidenceOf(step.reason, step.evidence)}>
        {sentence(step)}
      </Line>
    );
  }
  const { success, model, time, message } = line.test;
  const text = success
    ? t('health.step.testOk', { model, time: secondsText(time) })
    : t('health.step.testFailed', { model });
  return (
    <Line at={line.at} chip={<StatusChip status={success ? 'success' : 'failed'} />} rows={evidenceOf('', { message })}>
      {text} {line.count > 1 && t('health.step.times', { count: line.count })}
    </Line>
  );
}

/** The decisions and tests of a channel, newest first, each with its evidence. */
export function HealthSteps({ health }: { health: ChannelHealth }) {
  const { t } = useTranslation('channel');
  const lines = linesOf(health.steps, health.tests);
  return (
    <>
      {lines.length === 0 && (
        <Box sx={{ pb: 1, color: 'text.secondary', typography: 'body2' }}>{t('health.nothing')}</Box>
      )}
      <Box component="ol" sx={{ listStyle: 'none', m: 0, p: 0, typography: 'body2' }}>
        {lines.map((line) => (
          <StepLine key={line.key} line={line} />
        ))}
        <Box component="li" sx={{ py: 1, borderTop: 1, borderColor: 'border.subtle', color: 'text.secondary' }}>
          {t('health.created')}
          <TimeText at={health.created_time} />
        </Box>
      </Box>
    </>
  );
}
