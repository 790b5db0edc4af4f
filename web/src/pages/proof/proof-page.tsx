import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import type { ProofKind } from '@tollgate/contracts/api/proof';
import type { SyntheticEvent } from 'react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate, useParams } from 'react-router-dom';
import { useGetProofQuery } from '../../api/proof.api.js';
import { Placeholder } from '../../components/feedback/busy.js';
import { Callout } from '../../components/feedback/callout.js';
import { Card } from '../../components/layout/card.js';
import { Field } from '../../components/forms/field.js';
import { NativeField } from '../../components/forms/native-field.js';
import { PageHeader } from '../../components/layout/page-header.js';
import { ErrorState } from '../../components/feedback/states.js';
import { ChainStep } from './chain-step.js';

const kinds = ['request', 'order', 'code', 'task', 'posting'] as const satisfies readonly ProofKind[];
const isKind = (text: string | undefined): text is ProofKind => (kinds as readonly string[]).includes(text ?? '');

function Search({ kind, id }: { kind: ProofKind; id: string }) {
  const { t } = useTranslation('proof');
  const navigate = useNavigate();
  const [asked, setAsked] = useState({ kind, id });
  const [shown, setShown] = useState({ kind, id });
  // The address has changed to another chain. The fields are updated in place and not remounted, so that the field in
  // use keeps the focus.
  if (shown.kind !== kind || shown.id !== id) {
    setShown({ kind, id });
    setAsked({ kind, id });
  }
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    const wanted = asked.id.trim();
    if (wanted !== '') void navigate(`/proof/${asked.kind}/${encodeURIComponent(wanted)}`);
  };
  return (
    <Box
      component="form"
      role="search"
      onSubmit={submit}
      sx={{ display: 'flex', flexWrap: 'wrap', columnGap: 1, rowGap: 1.75, alignItems: 'flex-start', pt: 0.75, mb: 2 }}
    >
      <NativeField
        label={t('kind')}
        value={asked.kind}
        width={140}
        options={kinds.map((value) => ({ value, label: t(`kinds.${value}`) }))}
        onChange={(next) => isKind(next) && setAsked({ ...asked, kind: next })}
      />
      <Box sx={{ flex: '1 1 260px', maxWidth: 420 }}>
        <Field
          label={t(`ids.${asked.kind}`)}
          value={asked.id}
          onChange={(event) => setAsked({ ...asked, id: event.target.value })}
          spellCheck={false}
        />
      </Box>
      <Button type="submit" variant="outlined">
        {t('action.search')}
      </Button>
    </Box>
  );
}

function Chain({ kind, id }: { kind: ProofKind; id: string }) {
  const { t } = useTranslation('proof');
  // `currentData`, because the data of the previous chain must not be shown as proof of this one.
  const { currentData: data, error, refetch } = useGetProofQuery({ kind, id });
  if (error && !data) return <ErrorState error={error} retry={() => void refetch()} />;
  if (!data) return <Placeholder sx={{ height: 240 }} />;
  const waits = data.steps.some(({ state }) => state === 'pending');
  const verdict = !data.complete ? 'broken' : waits ? 'waiting' : 'whole';
  return (
    <>
      <Callout severity={{ broken: 'error', waiting: 'info', whole: 'success' }[verdict] as 'error'} sx={{ mb: 2 }}>
        {t(`verdict.${verdict}`)}
      </Callout>
      <Card title={t('chainOf', { kind: t(`kinds.${kind}`), user: data.user_id })}>
        <Box component="ol" sx={{ m: 0, p: 0 }}>
          {data.steps.map((step, index) => (
            <ChainStep key={`${step.link}-${index}`} step={step} last={index === data.steps.length - 1} />
          ))}
        </Box>
      </Card>
    </>
  );
}

/** The chain of evidence of one charge or movement of quota. */
export function ProofPage() {
  const { t } = useTranslation('proof');
  const { kind, id = '' } = useParams();
  const asked = isKind(kind) ? kind : 'request';
  return (
    <>
      <PageHeader title={t('title')} purpose={t('purpose')} />
      <Box sx={{ maxWidth: 960 }}>
        <Search kind={asked} id={id} />
        {id === '' ? <Callout severity="info">{t('ask')}</Callout> : <Chain kind={asked} id={id} />}
      </Box>
    </>
  );
}
