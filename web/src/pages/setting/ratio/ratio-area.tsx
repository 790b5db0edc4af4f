import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Tab from '@mui/material/Tab';
import Tabs from '@mui/material/Tabs';
import { Suspense, memo, useCallback, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'react-router-dom';
import { toastShown } from '../../../app/slices/toasts.js';
import { useAppDispatch } from '../../../app/store.js';
import { Placeholder } from '../../../components/feedback/busy.js';
import { lazyPart } from '../../../components/basics/lazy-part.js';
import { useConfirm } from '../../../components/overlays/use-confirm.js';
import { useOptionDraft } from '../option-draft.js';
import { Together } from '../save-card.js';
import { ratioFields } from '../setting-fields.js';
import { useListEnabledModelsQuery } from '../../../api/catalogue.api.js';
import { useResetModelRatioMutation } from '../../../api/option.api.js';
import { unsetModels } from './ratio-rows.js';
import { StageBar } from './stage-bar.js';
import { useStage } from './use-ratio-edits.js';

// Loaded on demand, because the raw tables are shown first and do not need them.
const VisualRatios = lazyPart(async () => (await import('./visual-ratios.js')).VisualRatios);
const UnsetModels = lazyPart(async () => (await import('./unset-models.js')).UnsetModels);

const rawCard = { id: 'ratio-json', fields: ratioFields } as const;
const parts = ['json', 'visual', 'unset'] as const;
type Part = (typeof parts)[number];

/** Resets the ratios to the built-in defaults. */
function ResetRatios() {
  const { t } = useTranslation('setting');
  const dispatch = useAppDispatch();
  const draft = useOptionDraft();
  const { confirm, dialog } = useConfirm();
  const [reset] = useResetModelRatioMutation();
  const ask = () =>
    confirm({
      title: t('reset.title'),
      consequences: [t('reset.body'), t('confirm.irreversible')],
      typed: 'ModelRatio',
      confirm: { label: t('reset.action'), danger: true },
      run: async () => {
        await reset().unwrap();
        draft.forget(['ModelRatio']);
        dispatch(toastShown({ severity: 'success', key: 'setting:reset.done' }));
      },
    });
  return (
    <>
      <Button color="error" variant="outlined" onClick={ask} sx={{ mt: 1.5 }}>
        {t('reset.action')}
      </Button>
      {dialog}
    </>
  );
}

/**
 * Hides the raw tables from view, focus and screen readers but keeps their layout, which takes a browser close to a
 * second with ten thousand models. They have the same containment shown and hidden; otherwise each change would lay
 * them out again.
 */
const shownStyle = { contain: 'layout style' } as const;
const hiddenStyle = { ...shownStyle, contentVisibility: 'hidden', height: 0 } as const;

const RawTables = memo(function RawTables({ shown }: { shown: boolean }) {
  return (
    <div style={shown ? shownStyle : hiddenStyle} aria-hidden={!shown || undefined}>
      <Together card={rawCard} />
      <ResetRatios />
    </div>
  );
});

interface PartTabsProps {
  part: Part;
  /** The number of models without a price. */
  unset: number;
  onChange: (part: Part) => void;
}

/**
 * Memoized: tabs measure themselves at each render, which forces a layout of the whole page, and a keystroke in a cell
 * must not cause that.
 */
const PartTabs = memo(function PartTabs({ part, unset, onChange }: PartTabsProps) {
  const { t } = useTranslation('setting');
  return (
    <Tabs
      value={part}
      onChange={(_, next: Part) => onChange(next)}
      variant="scrollable"
      allowScrollButtonsMobile={false}
      aria-label={t('card.ratio')}
      sx={{ mb: 2, borderBottom: '1px solid', borderColor: 'border.subtle' }}
    >
      {parts.map((one) => (
        <Tab
          key={one}
          value={one}
          label={one === 'unset' && unset > 0 ? t('ratio.tab.unsetCount', { count: unset }) : t(`ratio.tab.${one}`)}
        />
      ))}
    </Tabs>
  );
});

/** Three ways to set prices: the raw tables, one table of models, and the list of models without a price. */
export function RatioArea() {
  const [part, setPart] = useState<Part>('json');
  const wanted = useSearchParams()[0].get('key');
  useEffect(() => {
    if (ratioFields.some(({ key }) => key === wanted)) setPart('json');
  }, [wanted]);
  const change = useCallback((next: Part) => {
    // Removes the text selection first, because browsers are slow to locate a selection in content that is not
    // rendered.
    window.getSelection()?.removeAllRanges();
    setPart(next);
  }, []);
  const stage = useStage();
  const { data: enabled = [] } = useListEnabledModelsQuery();
  const unset = unsetModels(stage.maps, enabled).length;
  const area = useRef<HTMLDivElement>(null);
  return (
    <Box ref={area}>
      <PartTabs part={part} unset={unset} onChange={change} />
      <RawTables shown={part === 'json'} />
      <Suspense fallback={<Placeholder sx={{ height: 240 }} />}>
        {part === 'visual' && <VisualRatios />}
        {part === 'unset' && <UnsetModels />}
      </Suspense>
      {(part !== 'json' || stage.edits.size > 0) && <StageBar stage={stage} area={area} />}
    </Box>
  );
}
