import DownloadIcon from '@mui/icons-material/FileDownloadOutlined';
import Tab from '@mui/material/Tab';
import Tabs from '@mui/material/Tabs';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useSearchParams } from 'react-router-dom';
import { PageHeader } from '../../components/layout/page-header.js';
import type { Freshness } from './audit-table.js';
import { ChangeSection } from './change-section.js';
import { RefusedSection } from './refused-section.js';

const tabs = ['changes', 'refused'] as const;

/** The audit log of changes, and the log of refused calls. */
export function AuditPage() {
  const { t } = useTranslation('audit');
  const [params] = useSearchParams();
  const tab = tabs.find((name) => name === params.get('tab')) ?? 'changes';
  const [freshness, setFreshness] = useState<Freshness>();
  return (
    <>
      <PageHeader
        title={t('title')}
        purpose={t(`purpose.${tab}`)}
        secondary={[
          {
            id: 'export',
            label: t('export.action'),
            icon: <DownloadIcon />,
            busy: freshness?.writing,
            run: () => freshness?.write(),
          },
        ]}
        freshness={freshness}
      >
        {/* The links carry no query string, so the filters of one list are not applied to the other. */}
        <Tabs value={tab} aria-label={t('title')} sx={{ mt: 0.5 }}>
          {tabs.map((name) => (
            <Tab
              key={name}
              value={name}
              label={t(`tab.${name}`)}
              component={Link}
              to={name === 'changes' ? '/audit' : `/audit?tab=${name}`}
            />
          ))}
        </Tabs>
      </PageHeader>
      {tab === 'changes' ? <ChangeSection onFresh={setFreshness} /> : <RefusedSection onFresh={setFreshness} />}
    </>
  );
}
