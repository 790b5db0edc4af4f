import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Stack from '@mui/material/Stack';
import Typography from '@mui/material/Typography';
import type { Log, LogOther } from '@tollgate/contracts/api/log';
import { LogType, isAdmin } from '@tollgate/contracts/roles';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { selectRole } from '../../app/slices/session.js';
import { useAppSelector } from '../../app/store.js';
import { CopyButton } from '../../components/texts/copy-button.js';
import { DefinitionList } from '../../components/layout/definition-list.js';
import { formatUnits } from '../../components/money/quota-format.js';
import { QuotaText, useQuotaScale } from '../../components/money/quota-text.js';
import { Attempts } from './attempts.js';
import type { Bill, BillLine } from './log-facts.js';
import { billOf, doubtOf, exactMoney, isRequest, isTokens, money, otherOf, plain } from './log-facts.js';
import { useLogContext } from './log-context.js';
import { LogWords } from './log-words.js';

type Fact = [label: string, value: ReactNode];

/** Shows the facts that have a value. */
function Facts({ rows }: { rows: (Fact | false | undefined | '' | 0)[] }) {
  const shown = rows.filter((row): row is Fact => Boolean(row));
  return <DefinitionList rows={shown.map(([label, value]) => ({ label, value }))} />;
}

function TokenFacts({ log, other }: { log: Log; other: LogOther }) {
  const { t } = useTranslation('log');
  const tokens = (label: string, value: number | undefined): Fact | undefined =>
    value ? [label, formatUnits(value)] : undefined;
  return (
    <Facts
      rows={[
        tokens(t('detail.prompt'), log.prompt_tokens),
        tokens(t('detail.cache'), other.cache_tokens),
        tokens(t('detail.creation'), other.cache_creation_tokens),
        tokens(t('detail.completion'), log.completion_tokens),
        tokens(t('detail.image'), other.image_output),
        tokens(t('detail.audioInput'), other.audio_input),
        tokens(t('detail.audioOutput'), other.audio_output),
        tokens(t('detail.textInput'), other.text_input),
        tokens(t('detail.textOutput'), other.text_output),
        other.usage_source && log.type === LogType.consume && [t('detail.source'), t(`source.${other.usage_source}`)],
      ]}
    />
  );
}

/** `1,000 / 1M × $2.5`, or `3 × $0.04` */
const termOf = (line: BillLine): string =>
  `${formatUnits(line.count)}${isTokens(line) ? ' / 1M' : ''} × ${money(line.price)}`;

function BillLines({ bill }: { bill: Bill }) {
  const { t } = useTranslation('log');
  const { perUnit } = useQuotaScale();
  const { lines, base, modelRatio, group, total, units } = bill;
  const result = formatUnits(units);
  const weighed = lines
    .map(({ count, ratio }) => (ratio === 1 ? formatUnits(count) : `${formatUnits(count)} × ${plain(ratio)}`))
    .join(' + ');
  return (
    <Box component="ul" sx={{ listStyle: 'none', m: 0, p: 0, '& li': { py: 0.25 } }}>
      {lines.map(({ kind, count, ratio, price }) => (
        <li key={kind}>
          {t(`bill.${kind}`, {
            base: money(base),
            ratio: plain(ratio),
            price: money(price),
            count: formatUnits(count),
          })}
        </li>
      ))}
      <li>
        {t('bill.equation', { sum: lines.map(termOf).join(' + '), group: plain(group), total: exactMoney(total) })}
      </li>
      <li>
        {lines.every(isTokens)
          ? t('bill.units', { units: weighed, ratio: plain(modelRatio), group: plain(group), result })
          : t('bill.unitsOf', { total: exactMoney(total), perUnit: formatUnits(perUnit), result })}
      </li>
    </Box>
  );
}

function BillText({ log, other }: { log: Log; other: LogOther }) {
  const { t } = useTranslation('log');
  const { perUnit } = useQuotaScale();
  const bill = billOf(log, other, perUnit);
  if (!bill) return null;
  const [only] = bill.lines.length === 1 ? bill.lines : [];
  return (
    <Box>
      <Typography variant="subtitle2" component="h2">
        {t('detail.bill')}
      </Typography>
      {only?.kind === 'call' ? (
        <div>
          {t('bill.total', { price: money(only.price), group: plain(bill.group), total: exactMoney(bill.total) })}
        </div>
      ) : (
        bill.lines.length > 0 && <BillLines bill={bill} />
      )}
      <Box sx={{ mt: 0.5 }}>
        {t('detail.charged')} <QuotaText quota={log.quota} digits={6} /> (
        {t('quota.exact', { units: formatUnits(log.quota) })}){' '}
        <Box component="span" sx={{ color: bill.units === log.quota ? 'success.main' : 'text.secondary' }}>
          {bill.units === log.quota
            ? `✓ ${t('bill.same')}`
            : t('bill.differs', { units: formatUnits(Math.abs(log.quota - bill.units)) })}
        </Box>
        {other.price_version && ` · ${t('detail.priceVersion', { id: other.price_version })}`}
      </Box>
      <Typography variant="caption" sx={{ color: 'text.tertiary' }}>
        {t('bill.note')}
      </Typography>
    </Box>
  );
}

/** Links that filter the log by the model and other values of the row; only administrators can filter by user and channel. */
function Narrow({ log }: { log: Log }) {
  const { t } = useTranslation('log');
  const { narrow } = useLogContext();
  const admin = isAdmin(useAppSelector(selectRole));
  const values: [name: string, value: string][] = [
    ['model_name', log.model_name],
    ['token_name', log.token_name],
    ['username', admin ? log.username : ''],
    ['channel', admin && log.channel > 0 ? String(log.channel) : ''],
  ];
  return (
    <Stack direction="row" sx={{ flexWrap: 'wrap', gap: 0.5 }}>
      {values
        .filter(([, value]) => value !== '')
        .map(([name, value]) => (
          <Button
            key={name}
            size="small"
            variant="outlined"
            sx={{ minHeight: 24, px: 1, py: 0 }}
            onClick={() => narrow(name, value)}
          >
            {t(`only.${name as 'channel'}`, { value })}
          </Button>
        ))}
    </Stack>
  );
}

function useRequestFacts(log: Log, other: LogOther): (Fact | false | undefined | '' | 0)[] {
  const { t } = useTranslation('log');
  const { outcome, abort_policy: policy, reasoning_effort: effort } = other;
  const doubt = doubtOf(other);
  const { status_code: status, error_type: type, error_code: code } = other;
  return [
    log.channel > 0 && [t('detail.channel'), `${log.channel} - ${log.channel_name || t('unknownChannel')}`],
    other.is_model_mapped && [t('detail.model'), `${log.model_name} → ${other.upstream_model_name ?? ''}`],
    effort && [t('detail.effort'), effort],
    outcome && [t('detail.outcome'), t(`outcome.${outcome}`)],
    policy && [t('detail.abortPolicy'), t(`abortPolicy.${policy}`)],
    doubt && [t('detail.doubt'), t(`doubt.${doubt}`)],
    other.repeats && [t('detail.repeats'), other.repeats],
    status && [t('detail.status'), [status, type, code].filter(Boolean).join(' · ')],
    log.content && [t('detail.content'), <LogWords key="content" log={log} other={other} />],
  ];
}

function RequestId({ id }: { id: string }) {
  const { t } = useTranslation();
  return (
    <>
      <code>{id}</code> <CopyButton text={id} /> <Link to={`/proof/request/${id}`}>{t('posting.proof')}</Link>
    </>
  );
}

/** The details of an expanded row. */
export function LogDetail({ log }: { log: Log }) {
  const { t } = useTranslation('log');
  const other = otherOf(log);
  const id = other.request_id;
  const facts = useRequestFacts(log, other);
  return (
    <Stack spacing={1.5} sx={{ typography: 'body2', maxWidth: 1100 }}>
      <Facts rows={[...facts, id && [t('detail.requestId'), <RequestId key="id" id={id} />]]} />
      {isRequest(log) && <TokenFacts log={log} other={other} />}
      <BillText log={log} other={other} />
      {other.admin_info && <Attempts info={other.admin_info} />}
      {isRequest(log) && <Narrow log={log} />}
    </Stack>
  );
}
