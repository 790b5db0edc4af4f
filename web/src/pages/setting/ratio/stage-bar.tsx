import Button from '@mui/material/Button';
import Stack from '@mui/material/Stack';
import Typography from '@mui/material/Typography';
import type { RefObject } from 'react';
import { Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { lazyPart } from '../../../components/basics/lazy-part.js';
import { Refusal } from '../../../components/feedback/refusal.js';
import { useConfirm } from '../../../components/overlays/use-confirm.js';
import { hasProblems, unpricedBy } from './ratio-rows.js';
import type { RatioStage } from './use-ratio-edits.js';

const ChangesDialog = lazyPart(async () => (await import('./changes-dialog.js')).ChangesDialog);

/** A number that may not be stored; if the rows that are shown have one, it is the reason of a refusal. */
const BAD_CELL = 'input[aria-invalid="true"]';

/** The number of staged changes, the buttons to apply or discard them, and why applying failed. */
export function StageBar({ stage, area }: { stage: RatioStage; area: RefObject<HTMLElement | null> }) {
  const { t } = useTranslation('setting');
  const count = stage.edits.size;
  const { confirm, dialog } = useConfirm();
  const [shown, setShown] = useState(false);
  const apply = () => {
    const names = unpricedBy(stage.maps, stage.edits);
    if (names.length > 0 && !hasProblems(stage.edits)) {
      confirm({
        title: t('ratio.unpricedTitle'),
        consequences: [t('ratio.unpricedBody')],
        affected: { total: names.length, names },
        confirm: { label: t('ratio.apply'), danger: true },
        run: stage.apply,
      });
      return;
    }
    void stage.apply();
    area.current?.querySelector<HTMLElement>(BAD_CELL)?.focus();
  };
  return (
    <>
      {stage.refused.map((error, index) => (
        <Refusal key={index} error={error} fallback={t('save.failed')} sx={{ mt: 1.5 }} />
      ))}
      <Stack direction="row" spacing={1} sx={{ alignItems: 'center', mt: 1.5, flexWrap: 'wrap', rowGap: 1 }}>
        <Button variant={count > 0 ? 'contained' : 'outlined'} loading={stage.busy} onClick={apply}>
          {t('ratio.apply')}
        </Button>
        {count > 0 && <Button onClick={() => setShown(true)}>{t('ratio.changes')}</Button>}
        {count > 0 && <Button onClick={stage.undo}>{t('action.undo')}</Button>}
        <Typography variant="caption" role="status" sx={{ color: 'text.secondary' }}>
          {count > 0 && t('ratio.staged', { count })}
        </Typography>
      </Stack>
      {dialog}
      {shown && (
        <Suspense fallback={null}>
          <ChangesDialog stage={stage} onClose={() => setShown(false)} />
        </Suspense>
      )}
    </>
  );
}
