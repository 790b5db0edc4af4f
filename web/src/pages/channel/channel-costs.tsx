import { Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useGetChannelCostsQuery } from '../../api/cost.api.js';
import { BusyButton } from '../../components/basics/busy-button.js';
import { FormSection } from '../../components/forms/form-section.js';
import { lazyPart } from '../../components/basics/lazy-part.js';
import { PlainTable } from '../../components/tables/plain-table.js';
import { Refusal } from '../../components/feedback/refusal.js';
import { TimeText } from '../../components/texts/time-text.js';
import { termsText } from './cost-text.js';

const CostDialog = lazyPart(async () => (await import('./cost-dialog.js')).CostDialog);

/**
 * The cost prices of a channel: what its provider charges. They do not change what users are charged; statements
 * compute the margin from them.
 */
export function ChannelCosts({ id }: { id: number }) {
  const { t } = useTranslation('channel');
  const { data, error } = useGetChannelCostsQuery(id, { refetchOnMountOrArgChange: true });
  const [editing, setEditing] = useState(false);
  const current = data?.current ?? [];
  const summary = current.length === 0 ? t('cost.none') : t('cost.models', { count: current.length });
  return (
    <FormSection title={t('cost.title')} summary={summary} advanced>
      {error && <Refusal error={error} />}
      {current.length > 0 && (
        <PlainTable
          label={t('cost.title')}
          maxHeight={240}
          head={[t('cost.model'), { words: t('cost.terms') }, { words: t('cost.since') }]}
          rows={current.map((row) => ({
            id: row.model,
            cells: [row.model || t('cost.others'), termsText(row.terms), <TimeText key="since" at={row.since} />],
          }))}
        />
      )}
      <div>
        <BusyButton busy={!data} onClick={() => setEditing(true)}>
          {t('cost.edit')}
        </BusyButton>
      </div>
      <Suspense fallback={null}>
        {editing && data && <CostDialog id={id} costs={data} onClose={() => setEditing(false)} />}
      </Suspense>
    </FormSection>
  );
}
