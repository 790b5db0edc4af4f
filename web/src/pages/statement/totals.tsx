import Box from '@mui/material/Box';
import type { StatementSums } from '@tollgate/contracts/api/statement';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { StatementPage as Loaded } from '../../api/statement.api.js';
import { Callout } from '../../components/feedback/callout.js';
import { formatUnits } from '../../components/money/quota-format.js';
import { QuotaText } from '../../components/money/quota-text.js';
import { StatTile } from '../../components/layout/stat-tile.js';

/**
 * Column counts that fill every row of tiles, because a single tile in a row would look like a part of something else.
 */
const columns = {
  all: { xs: 'repeat(2, minmax(0, 1fr))', md: 'repeat(4, minmax(0, 1fr))', xl: 'repeat(8, minmax(0, 1fr))' },
  own: { xs: 'repeat(2, minmax(0, 1fr))', md: 'repeat(3, minmax(0, 1fr))', lg: 'repeat(6, minmax(0, 1fr))' },
} as const;

const percent = new Intl.NumberFormat('en-US', { style: 'percent', maximumFractionDigits: 1 });

/** Tiles of cost and margin. If the cost is known for only some requests, they show for how many. */
function CostTiles({ totals, scope }: { totals: StatementSums; scope: ReactNode }) {
  const { t } = useTranslation('statement');
  const { cost, margin, requests, costed = 0, costed_sales: sales = 0 } = totals;
  const isKnown = cost !== null && cost !== undefined && margin !== null && margin !== undefined;
  const part =
    costed < requests ? t('costed', { costed: formatUnits(costed), requests: formatUnits(requests) }) : scope;
  const rate = isKnown && sales > 0 ? t('marginRate', { rate: percent.format(margin / sales) }) : part;
  return (
    <>
      <StatTile label={t('column.cost')} value={<QuotaText quota={isKnown ? cost : undefined} />} scope={part} />
      <StatTile
        label={t('column.margin')}
        value={<QuotaText quota={isKnown ? margin : undefined} signed />}
        scope={rate}
      />
    </>
  );
}

/** Totals of the statement: opening balance plus movements equals the closing balance exactly. */
export function Totals({ data, scope, own }: { data: Loaded | undefined; scope: ReactNode; own: boolean }) {
  const { t } = useTranslation('statement');
  if (!data) return null;
  const { totals, opening, closing } = data;
  const wallets = t(own ? 'wallet' : 'wallets');
  return (
    <>
      {data.complete === false && (
        <Callout severity="warning" sx={{ mb: 2 }}>
          {t('incomplete')}
        </Callout>
      )}
      <Box sx={{ display: 'grid', gridTemplateColumns: columns[own ? 'own' : 'all'], gap: 2, mb: 2 }}>
        <StatTile label={t('opening')} value={<QuotaText quota={opening} balance />} scope={wallets} />
        <StatTile label={t('column.consumed')} value={<QuotaText quota={totals.consumed} />} scope={scope} />
        {!own && <CostTiles totals={totals} scope={scope} />}
        <StatTile label={t('column.paid')} value={<QuotaText quota={totals.paid} />} scope={scope} />
        <StatTile label={t('column.net')} value={<QuotaText quota={totals.net} signed />} scope={scope} />
        <StatTile label={t('closing')} value={<QuotaText quota={closing} balance />} scope={wallets} />
        <StatTile
          label={t('postings')}
          value={formatUnits(totals.postings)}
          scope={t('turnover', { units: formatUnits(totals.turnover) })}
        />
      </Box>
    </>
  );
}
