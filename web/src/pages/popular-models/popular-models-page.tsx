import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Typography from '@mui/material/Typography';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { useListPricingQuery } from '../../api/pricing.api.js';
import { Placeholder } from '../../components/feedback/busy.js';
import { Card } from '../../components/layout/card.js';
import { PageHeader } from '../../components/layout/page-header.js';
import { ErrorState, MessageState } from '../../components/feedback/states.js';
import type { Family } from './families.js';
import { served } from './families.js';

/** Models shown per family; the price list has the others. */
const MOST = 8;

function FamilyCard({ family, models }: { family: Family; models: string[] }) {
  const { t } = useTranslation('popular-models');
  return (
    <Card title={t(`family.${family}.name`)}>
      <Typography variant="body2" sx={{ color: 'text.secondary', mb: 1 }}>
        {t(`family.${family}.use`)}
      </Typography>
      <Box component="ul" sx={{ m: 0, p: 0, listStyle: 'none', overflowWrap: 'anywhere' }}>
        {models.slice(0, MOST).map((model) => (
          <Box component="li" key={model} sx={{ '& a': { display: 'inline-block', minHeight: 24 } }}>
            <Link to={`/pricing?q=${encodeURIComponent(model)}`}>{model}</Link>
          </Box>
        ))}
      </Box>
      {models.length > MOST && (
        <Typography variant="caption" component="p" sx={{ color: 'text.secondary', m: 0, mt: 1 }}>
          {t('more', { count: models.length - MOST })}
        </Typography>
      )}
    </Card>
  );
}

/** Served models grouped by family, for readers who know their purpose but no model name. */
export function PopularModelsPage() {
  const { t } = useTranslation('popular-models');
  const { data, error, refetch } = useListPricingQuery();
  const rows = useMemo(() => data && served(data.data), [data]);
  return (
    <>
      <PageHeader title={t('title')} purpose={t('purpose')}>
        <Button component={Link} to="/pricing" sx={{ mt: 1, ml: -1.5 }}>
          {t('all')}
        </Button>
      </PageHeader>
      {error && <ErrorState error={error} retry={() => void refetch()} />}
      {!rows && !error && <Placeholder sx={{ height: 320 }} />}
      {rows?.length === 0 && <MessageState state="empty" title={t('empty')} body={t('emptyBody')} />}
      <Box
        sx={{
          display: 'grid',
          gap: 2,
          gridTemplateColumns: { xs: 'minmax(0, 1fr)', sm: 'repeat(auto-fit, minmax(280px, 1fr))' },
        }}
      >
        {rows?.map((row) => (
          <FamilyCard key={row.family} {...row} />
        ))}
      </Box>
    </>
  );
}
