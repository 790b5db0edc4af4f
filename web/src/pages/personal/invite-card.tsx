import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Stack from '@mui/material/Stack';
import type { User } from '@tollgate/contracts/api/user';
import { Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Card } from '../../components/layout/card.js';
import { useDeniable } from '../../components/basics/use-deniable.js';
import { CopyButton, useCopy } from '../../components/texts/copy-button.js';
import { Field } from '../../components/forms/field.js';
import { formatQuota, formatUnits } from '../../components/money/quota-format.js';
import { QuotaText, useQuotaScale } from '../../components/money/quota-text.js';
import { StatRow, StatTile } from '../../components/layout/stat-tile.js';
import { ErrorState } from '../../components/feedback/states.js';
import { useGetAffCodeQuery } from '../../api/self.api.js';
import { lazyPart } from '../../components/basics/lazy-part.js';

const TransferDialog = lazyPart(async () => (await import('./transfer-dialog.js')).TransferDialog);

const announce = { key: 'personal:invite.copied' } as const;

function Link() {
  const { t } = useTranslation('personal');
  const { data: code, error, refetch } = useGetAffCodeQuery();
  const { copy, dialog } = useCopy();
  if (error) return <ErrorState error={error} retry={() => void refetch()} />;
  const link = code ? `${window.location.origin}/register?aff=${encodeURIComponent(code)}` : '';
  return (
    <>
      <Field
        label={t('invite.link')}
        value={link}
        readOnly
        mono
        onClick={(event) => {
          event.currentTarget.select();
          if (link) void copy(link, announce);
        }}
        end={<CopyButton text={link} announce={announce} />}
      />
      {dialog}
    </>
  );
}

/** Why rewards cannot be transferred: they are below one unit of the currency. Shown at the disabled button. */
function useRefusal(quota: number): string | undefined {
  const { t } = useTranslation('personal');
  const scale = useQuotaScale();
  if (quota <= 0) return t('invite.nothing');
  const least = Math.ceil(scale.perUnit);
  return quota < least ? t('invite.tooLittle', { least: formatQuota(least, scale) }) : undefined;
}

function Transfer({ quota, onOpen }: { quota: number; onOpen: () => void }) {
  const { t } = useTranslation('personal');
  const refusal = useRefusal(quota);
  const deniable = useDeniable();
  return (
    <Button variant="outlined" {...deniable(refusal, onOpen)} sx={{ opacity: refusal ? 0.6 : 1 }}>
      {t('invite.transfer')}
    </Button>
  );
}

/** The rewards for invitations, and the invitation link. */
export function InviteCard({ user }: { user: User }) {
  const { t } = useTranslation('personal');
  const [open, setOpen] = useState(false);
  const { aff_quota: pending, aff_history_quota: total, aff_count: count } = user;
  return (
    <Card title={t('invite.title')} action={<Transfer quota={pending} onOpen={() => setOpen(true)} />}>
      <Stack spacing={2}>
        <StatRow>
          <StatTile label={t('invite.pending')} value={<QuotaText quota={pending} />} scope={t('now')} />
          <StatTile label={t('invite.total')} value={<QuotaText quota={total} />} scope={t('scope')} />
          <StatTile label={t('invite.count')} value={formatUnits(count)} scope={t('scope')} />
        </StatRow>
        <Box sx={{ pt: 1 }}>
          <Link />
        </Box>
      </Stack>
      {open && (
        <Suspense fallback={null}>
          <TransferDialog available={pending} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </Card>
  );
}
