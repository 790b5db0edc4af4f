import Button from '@mui/material/Button';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { useGetSelfQuery } from '../../api/self.api.js';
import { formatCount } from '../../components/basics/count-format.js';
import { Placeholder } from '../../components/feedback/busy.js';
import { Card } from '../../components/layout/card.js';
import { QuotaText } from '../../components/money/quota-text.js';
import { StatRow, StatTile } from '../../components/layout/stat-tile.js';
import { ErrorState } from '../../components/feedback/states.js';

function Figures() {
  const { t } = useTranslation('home');
  const { data, error, refetch } = useGetSelfQuery();
  if (error && !data) return <ErrorState error={error} retry={() => void refetch()} />;
  if (!data) return <Placeholder sx={{ height: 76 }} />;
  const count = formatCount(data.request_count);
  return (
    <StatRow>
      <StatTile label={t('balance')} value={<QuotaText quota={data.quota} balance />} scope={t('account')} />
      <StatTile label={t('used')} value={<QuotaText quota={data.used_quota} />} scope={t('allTime')} />
      <StatTile label={t('requests')} value={count} scope={t('allTime')} />
    </StatRow>
  );
}

/** The balance, and the quota spent so far. */
export function BalanceCard() {
  const { t } = useTranslation('home');
  return (
    <Card
      title={t('balanceTitle')}
      action={
        <Button component={Link} to="/topup">
          {t('topUp')}
        </Button>
      }
    >
      <Figures />
    </Card>
  );
}
