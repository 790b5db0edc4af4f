import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import type { ProofFact, ProofStep } from '@tollgate/contracts/api/proof';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { DefinitionList } from '../../components/layout/definition-list.js';
import { formatUnits } from '../../components/money/quota-format.js';
import { QuotaText } from '../../components/money/quota-text.js';
import { Tag } from '../../components/texts/tag.js';
import { TimeText } from '../../components/texts/time-text.js';
import { factNames, lineNames } from './known-names.js';

const colors = { done: 'green', pending: 'blue', missing: 'red', differs: 'red' } as const;
/** Fields with amounts of quota, which are shown in the currency as well. */
const amounts = new Set([
  'amount',
  'quota',
  'charged',
  'held',
  'change',
  'lease_granted',
  'lease_returned',
  'lease_booked',
]);

type FactName = (typeof factNames)[number];
type LineName = (typeof lineNames)[number];
const isFact = (name: string): name is FactName => (factNames as readonly string[]).includes(name);
const isLine = (name: string): name is LineName => (lineNames as readonly string[]).includes(name);

function valueOf({ name, value }: ProofFact): ReactNode {
  if (typeof value === 'number' && amounts.has(name))
    return (
      <>
        <QuotaText quota={value} digits={6} /> ({formatUnits(value)})
      </>
    );
  if (name === 'request_id') return <Link to={`/log?request_id=${String(value)}`}>{String(value)}</Link>;
  // The server writes the texts of log rows in Chinese, whoever reads them.
  if (name === 'content') return <span lang="zh-CN">{String(value)}</span>;
  return String(value);
}

function Facts({ facts }: { facts: ProofFact[] }) {
  const { t } = useTranslation('proof');
  return (
    <DefinitionList
      aligned
      rows={facts.map((fact) => ({
        label: isFact(fact.name) ? t(`facts.${fact.name}`) : fact.name,
        value: valueOf(fact),
      }))}
    />
  );
}

/** The terms of a charge: what was used, at which ratio, and the units before rounding. */
function Lines({ lines }: { lines: NonNullable<ProofStep['lines']> }) {
  const { t } = useTranslation('proof');
  const cell = { py: 0.5, pr: { xs: 1, sm: 2 }, textAlign: 'right', overflowWrap: 'break-word' } as const;
  return (
    <Box component="table" sx={{ typography: 'body2', borderCollapse: 'collapse', my: 1 }}>
      <thead>
        <tr>
          {(['what', 'count', 'ratio', 'units'] as const).map((name) => (
            <Box component="th" scope="col" key={name} sx={{ ...cell, ...(name === 'what' && { textAlign: 'left' }) }}>
              {t(`table.${name}`)}
            </Box>
          ))}
        </tr>
      </thead>
      <tbody>
        {lines.map(({ kind, count, ratio, units }) => (
          <tr key={kind}>
            <Box component="th" scope="row" sx={{ ...cell, textAlign: 'left', fontWeight: 400 }}>
              {isLine(kind) ? t(`lines.${kind}`) : kind}
            </Box>
            <Box component="td" sx={cell}>
              {formatUnits(count)}
            </Box>
            <Box component="td" sx={cell}>
              {ratio}
            </Box>
            <Box component="td" sx={{ ...cell, overflowWrap: 'anywhere' }}>
              {units}
            </Box>
          </tr>
        ))}
      </tbody>
    </Box>
  );
}

/** One link of the chain: its kind, whether it holds, its time and its facts. */
export function ChainStep({ step, last }: { step: ProofStep; last: boolean }) {
  const { t } = useTranslation('proof');
  const { link, state, time, facts, lines } = step;
  return (
    <Box
      component="li"
      data-link={link}
      sx={{
        listStyle: 'none',
        borderLeft: 2,
        borderColor: last ? 'transparent' : 'border.subtle',
        pl: 2,
        pb: 2,
        ml: 0.5,
      }}
    >
      <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 1, alignItems: 'center', mb: 0.5 }}>
        <Typography variant="subtitle2" component="h3">
          {t(`link.${link}`)}
        </Typography>
        <Tag color={colors[state]}>{t(`state_.${state}`)}</Tag>
        {time > 0 && (
          <Typography variant="caption" sx={{ color: 'text.tertiary' }}>
            <TimeText at={Math.floor(time / 1000)} />
          </Typography>
        )}
      </Box>
      {lines && lines.length > 0 && <Lines lines={lines} />}
      {facts.length > 0 && <Facts facts={facts} />}
    </Box>
  );
}
