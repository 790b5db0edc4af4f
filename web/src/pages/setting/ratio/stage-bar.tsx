import Button from '@mui/material/Button';
import Stack from '@mui/material/Stack';
import Typography from '@mui/material/Typography';
import type { RefObject } from 'react';
import { Suspense, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { lazyPart } from '../../../components/basics/lazy-part.js';
import { BusyButton } from '../../../components/basics/busy-button.js';
import { Callout } from '../../../components/feedback/callout.js';
import { DeniableButton } from '../../../components/feedback/deniable-button.js';
import { Refusal } from '../../../components/feedback/refusal.js';
import { useConfirm } from '../../../components/overlays/use-confirm.js';
import type { RatioRow } from './ratio-rows.js';
import { hasProblems, ratioFieldNames, unpricedBy } from './ratio-rows.js';
import type { RatioStage } from './use-ratio-edits.js';

const ChangesDialog = lazyPart(async () => (await import('./changes-dialog.js')).ChangesDialog);

/** A number that may not be stored; if the rows that are shown have one, it is the reason of a refusal. */
const BAD_CELL = 'input[aria-invalid="true"]';

/** The most rows of others that are shown; the table has all rows. */
const MOST_ROWS = 10;

/** Why the changes were not applied, with what others have stored. */
function Conflicts({ rows }: { rows: readonly RatioRow[] }) {
  const { t } = useTranslation('setting');
  const valueOf = (row: RatioRow): string =>
    ratioFieldNames
      .flatMap((field) => (row[field] === '' ? [] : `${t(`ratio.column.${field}`)} ${row[field]}`))
      .join(t('table.separator'));
  const more = rows.length - MOST_ROWS;
  return (
    <Callout severity="warning" role="alert" sx={{ mt: 1.5 }}>
      <div>{t('ratio.conflict')}</div>
      <ul style={{ margin: '4px 0 0', paddingInlineStart: 20 }}>
        {rows.slice(0, MOST_ROWS).map((row) => (
          <li key={row.name}>{t('ratio.theirs', { name: row.name, value: valueOf(row) || t('ratio.noPrice') })}</li>
        ))}
      </ul>
      {more > 0 && t('confirm.more', { count: more })}
    </Callout>
  );
}

/** The number of staged changes, the buttons to apply or discard them, and why applying failed. */
export function StageBar({ stage, area }: { stage: RatioStage; area: RefObject<HTMLElement | null> }) {
  const { t } = useTranslation('setting');
  const count = stage.edits.size;
  const { confirm, dialog } = useConfirm();
  const [shown, setShown] = useState(false);
  const applyButton = useRef<HTMLButtonElement>(null);
  const undo = () => {
    // The button to undo goes away now, and must not take the focus with it.
    applyButton.current?.focus();
    stage.undo();
  };
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
  const conflicts = stage.conflicts.filter(({ name }) => stage.edits.has(name));
  return (
    <>
      {conflicts.length > 0 && <Conflicts rows={conflicts} />}
      {stage.refused.map((error, index) => (
        <Refusal key={index} error={error} fallback={t('save.failed')} sx={{ mt: 1.5 }} />
      ))}
      <Stack direction="row" spacing={1} sx={{ alignItems: 'center', mt: 1.5, flexWrap: 'wrap', rowGap: 1 }}>
        <BusyButton ref={applyButton} variant={count > 0 ? 'contained' : 'outlined'} busy={stage.busy} onClick={apply}>
          {t('ratio.apply')}
        </BusyButton>
        {count > 0 && (
          // A list of numbers before and after cannot show a text that is no number.
          <DeniableButton
            denied={hasProblems(stage.edits) ? t('save.check') : undefined}
            onClick={() => setShown(true)}
          >
            {t('ratio.changes')}
          </DeniableButton>
        )}
        {count > 0 && <Button onClick={undo}>{t('action.undo')}</Button>}
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
