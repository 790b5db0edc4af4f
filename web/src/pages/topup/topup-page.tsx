import Box from '@mui/material/Box';
import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'react-router-dom';
import { selfApi, useGetSelfQuery } from '../../api/self.api.js';
import { useAppDispatch } from '../../app/store.js';
import { formatCount } from '../../components/basics/count-format.js';
import { Placeholder } from '../../components/feedback/busy.js';
import { Card } from '../../components/layout/card.js';
import { PageHeader } from '../../components/layout/page-header.js';
import { QuotaText } from '../../components/money/quota-text.js';
import { StatRow, StatTile } from '../../components/layout/stat-tile.js';
import { ErrorState } from '../../components/feedback/states.js';
import { OrderSection } from './order-section.js';
import { PayCard } from './pay-card.js';
import { RedeemCard } from './redeem-card.js';
import { ResultCard } from './result-card.js';

const cards = {
  display: 'grid',
  gridTemplateColumns: 'repeat(auto-fit, minmax(min(100%, 320px), 1fr))',
  gap: 2,
} as const;

function Balance() {
  const { t } = useTranslation('topup');
  const { data, error, refetch } = useGetSelfQuery();
  if (error && !data) return <ErrorState error={error} retry={() => void refetch()} />;
  if (!data) return <Placeholder sx={{ height: 76 }} />;
  const requests = formatCount(data.request_count);
  return (
    <StatRow>
      <StatTile label={t('balance.left')} value={<QuotaText quota={data.quota} balance />} scope={t('balance.now')} />
      <StatTile label={t('balance.used')} value={<QuotaText quota={data.used_quota} />} scope={t('balance.scope')} />
      <StatTile label={t('balance.requests')} value={requests} scope={t('balance.scope')} />
    </StatRow>
  );
}

/** Payment providers redirect back to this page with `?order=`. */
export function TopupPage() {
  const { t } = useTranslation('topup');
  const dispatch = useAppDispatch();
  const { fulfilledTimeStamp } = useGetSelfQuery();
  const [params, setParams] = useSearchParams();
  const order = params.get('order') ?? '';
  const follow = (tradeNo: string) =>
    setParams((now) => {
      const next = new URLSearchParams(now);
      next.set('order', tradeNo);
      return next;
    });
  return (
    <>
      <PageHeader
        title={t('title')}
        purpose={t('purpose')}
        freshness={{ at: fulfilledTimeStamp, refetch: () => dispatch(selfApi.util.invalidateTags(['Self'])) }}
      />
      <Box sx={{ display: 'flex', flexDirection: 'column', gap: 2, pb: 2 }}>
        {order !== '' && <ResultCard key={order} tradeNo={order} />}
        <Card>
          <Balance />
        </Card>
        <Box sx={cards} className="no-print">
          <RedeemCard />
          <PayCard onBegun={follow} />
        </Box>
        <OrderSection />
      </Box>
    </>
  );
}
