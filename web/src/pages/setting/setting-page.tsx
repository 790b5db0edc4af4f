import Box from '@mui/material/Box';
import Stack from '@mui/material/Stack';
import Tab from '@mui/material/Tab';
import Tabs from '@mui/material/Tabs';
import type { OptionKey } from '@tollgate/contracts/options/index';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useSearchParams } from 'react-router-dom';
import { DirtyGuard } from '../../components/overlays/dirty-guard.js';
import { toastShown } from '../../app/slices/toasts.js';
import { useAppDispatch } from '../../app/store.js';
import { Placeholder } from '../../components/feedback/busy.js';
import { PageHeader } from '../../components/layout/page-header.js';
import { ErrorState } from '../../components/feedback/states.js';
import { DraftProvider, useDraftValue, useNewDraft } from './option-draft.js';
import { OptionCard } from './option-card.js';
import type { SettingTab } from './setting-fields.js';
import { findTab, placeOf, settingTabs, textOf } from './setting-fields.js';
import { StageProvider, useRatioEdits } from './ratio/use-ratio-edits.js';
import { SettingSearch } from './setting-search.js';
import type { Options } from '../../api/option.api.js';
import { useListOptionsQuery } from '../../api/option.api.js';

const anchorList = {
  position: 'sticky',
  top: 72,
  alignSelf: 'start',
  width: 168,
  flexShrink: 0,
  display: { xs: 'none', lg: 'block' },
  '& a': { display: 'block', py: 0.5, color: 'text.secondary', textDecoration: 'none', typography: 'body2' },
  '& a:hover': { color: 'text.primary' },
} as const;

/** Links to the cards of a long tab. */
function Anchors({ tab }: { tab: SettingTab }) {
  const { t } = useTranslation('setting');
  if (tab.cards.length < 3) return null;
  return (
    <Box component="nav" aria-label={t('cards')} sx={anchorList}>
      {tab.cards.map(({ id }) => (
        <a
          key={id}
          href={`#card-${id}`}
          onClick={(event) => {
            event.preventDefault();
            document.getElementById(`card-${id}`)?.scrollIntoView({ block: 'start' });
          }}
        >
          {t(textOf('card', id))}
        </a>
      ))}
    </Box>
  );
}

const ARRIVAL_MS = 60;
const MOST_TRIES = 30;

/**
 * Scrolls to the option named in the address and focuses it. Retries for a moment, because some cards are loaded on
 * demand.
 */
function useArrivalAt(key: string | null, tab: string): void {
  useEffect(() => {
    if (!key) return;
    let tries = 0;
    const timer = setInterval(() => {
      const box = document.getElementById(`option-${key}`);
      tries += 1;
      if (!box && tries < MOST_TRIES) return;
      clearInterval(timer);
      box?.scrollIntoView?.({ block: 'center' });
      box?.querySelector<HTMLElement>('input, textarea, select')?.focus({ preventScroll: true });
    }, ARRIVAL_MS);
    return () => clearInterval(timer);
  }, [key, tab]);
}

function Unsaved({ staged }: { staged: boolean }) {
  const dirty = useDraftValue((draft) => draft.dirty);
  return <DirtyGuard dirty={dirty || staged} samePage />;
}

function TabBody({ tab, options }: { tab: SettingTab; options: Options }) {
  const draft = useNewDraft(options);
  const stage = useRatioEdits(options);
  const key = useSearchParams()[0].get('key');
  useArrivalAt(key, tab.id);
  return (
    <DraftProvider value={draft}>
      <StageProvider value={stage}>
        <Box sx={{ display: 'flex', gap: 3, alignItems: 'stretch' }}>
          <Anchors tab={tab} />
          <Stack spacing={2} sx={{ flex: 1, minWidth: 0, maxWidth: 960 }}>
            {tab.cards.map((card) => (
              <OptionCard key={card.id} card={card} />
            ))}
          </Stack>
        </Box>
        <Unsaved staged={stage.edits.size > 0} />
      </StageProvider>
    </DraftProvider>
  );
}

function Loading() {
  return (
    <Stack spacing={2} sx={{ maxWidth: 960 }}>
      {[280, 200, 200].map((height, index) => (
        <Placeholder key={index} style={{ height }} />
      ))}
    </Stack>
  );
}

/** When a refresh fails, the shown values stay and a toast says that they may be outdated. */
function useRefreshFailure(failed: boolean): void {
  const dispatch = useAppDispatch();
  useEffect(() => {
    if (failed) dispatch(toastShown({ severity: 'error', key: 'setting:save.refreshFailed' }));
  }, [failed, dispatch]);
}

export function SettingPage() {
  const { t } = useTranslation('setting');
  const [params, setParams] = useSearchParams();
  const { data, error, refetch } = useListOptionsQuery(undefined, { refetchOnMountOrArgChange: true });
  useRefreshFailure(error !== undefined && data !== undefined);
  const tab = findTab(params.get('tab'));
  const goTo = (key: OptionKey) => {
    const place = placeOf(key);
    if (place) setParams({ tab: place.tab, key });
  };
  return (
    <>
      <PageHeader title={t('title')} purpose={t('purpose')}>
        <Stack
          direction={{ xs: 'column', md: 'row' }}
          sx={{ mt: 1.5, columnGap: 2, rowGap: 1.5, maxWidth: 960, alignItems: { md: 'center' } }}
        >
          <Tabs
            value={tab.id}
            variant="scrollable"
            aria-label={t('title')}
            sx={{ flex: 1, minWidth: 0, order: { xs: 2, md: 1 } }}
          >
            {settingTabs.map(({ id }) => (
              <Tab key={id} value={id} label={t(`tab.${id}`)} component={Link} to={`/setting?tab=${id}`} />
            ))}
          </Tabs>
          <Box sx={{ order: { xs: 1, md: 2 }, mt: { xs: 1, md: 0 } }}>
            <SettingSearch onFound={goTo} />
          </Box>
        </Stack>
      </PageHeader>
      {error && !data && <ErrorState error={error} retry={() => void refetch()} />}
      {data ? <TabBody tab={tab} options={data} /> : !error && <Loading />}
    </>
  );
}
