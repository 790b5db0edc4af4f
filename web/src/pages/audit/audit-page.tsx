import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'react-router-dom';
import { PageHeader } from '../../components/page-header.js';
import type { Freshness } from './audit-table.js';
import { ChangeSection } from './change-section.js';
import { RefusedSection } from './refused-section.js';

const tabs = ['changes', 'refused'] as const;

/** What administrators look up when they ask why: who changed something, or why a call was refused. */
export function AuditPage() {
  const { t } = useTranslation('audit');
  const [params, setParams] = useSearchParams();
  const tab = tabs.find((name) => name === params.get('tab')) ?? 'changes';
  const [freshness, setFreshness] = useState<Freshness>();
  return (
    <>
      <PageHeader title={t('title')} purpose={t(`purpose.${tab}`)} freshness={freshness}>
        <Box role="group" aria-label={t('title')} sx={{ display: 'flex', gap: 0.5, mt: 1 }}>
          {tabs.map((name) => (
            <Button
              key={name}
              size="small"
              variant={tab === name ? 'contained' : 'outlined'}
              aria-pressed={tab === name}
              // The filters of the other list are left behind.
              onClick={() => setParams(name === 'changes' ? {} : { tab: name })}
            >
              {t(`tab.${name}`)}
            </Button>
          ))}
        </Box>
      </PageHeader>
      {tab === 'changes' ? <ChangeSection onFresh={setFreshness} /> : <RefusedSection onFresh={setFreshness} />}
    </>
  );
}
