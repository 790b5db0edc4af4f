import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Tab from '@mui/material/Tab';
import Tabs from '@mui/material/Tabs';
import { Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { toastShown } from '../../../app/slices/toasts.js';
import { useAppDispatch } from '../../../app/store.js';
import { Placeholder } from '../../../components/busy.js';
import { lazyPart } from '../../../components/lazy-part.js';
import { useConfirm } from '../../../components/use-confirm.js';
import { useDraft } from '../option-draft.js';
import { Together } from '../save-section.js';
import { ratioFields } from '../setting-fields.js';
import { useListEnabledModelsQuery } from '../../../api/catalogue.api.js';
import { useResetModelRatioMutation } from '../../../api/option.api.js';
import { unsetModels } from './ratio-rows.js';
import { StageBar } from './stage-bar.js';
import { useStage } from './use-ratio-edits.js';

// Tables and their dialogs, for which the raw tables, shown first, do not wait.
const VisualRatios = lazyPart(async () => (await import('./visual-ratios.js')).VisualRatios);
const UnsetModels = lazyPart(async () => (await import('./unset-models.js')).UnsetModels);

const parts = ['json', 'visual', 'unset'] as const;
type Part = (typeof parts)[number];

/** Back to the ratios the program was built with. */
function ResetRatios() {
  const { t } = useTranslation('setting');
  const dispatch = useAppDispatch();
  const draft = useDraft();
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

function PartBody({ part }: { part: Part }) {
  if (part === 'visual') return <VisualRatios />;
  if (part === 'unset') return <UnsetModels />;
  return (
    <>
      <Together section={{ id: 'ratio-json', fields: ratioFields }} />
      <ResetRatios />
    </>
  );
}

/** The three ways to set prices: the raw tables, one table of models, and the models nobody has priced. */
export function RatioArea() {
  const { t } = useTranslation('setting');
  const [part, setPart] = useState<Part>('json');
  const stage = useStage();
  const { data: enabled = [] } = useListEnabledModelsQuery();
  const unset = unsetModels(stage.maps, enabled).length;
  return (
    <Box>
      <Tabs
        value={part}
        onChange={(_, next: Part) => setPart(next)}
        variant="scrollable"
        allowScrollButtonsMobile={false}
        aria-label={t('section.ratio')}
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
      <Suspense fallback={<Placeholder sx={{ height: 240 }} />}>
        <PartBody part={part} />
      </Suspense>
      {(part !== 'json' || stage.edits.size > 0) && <StageBar stage={stage} />}
    </Box>
  );
}
