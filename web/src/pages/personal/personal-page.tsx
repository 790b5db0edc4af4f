import Stack from '@mui/material/Stack';
import type { User } from '@tollgate/contracts/api/user';
import { useCallback, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { settingOf, useGetSelfQuery } from '../../api/self.api.js';
import { Placeholder } from '../../components/feedback/busy.js';
import { Card } from '../../components/layout/card.js';
import { DeliveryList } from '../../components/account/delivery-list.js';
import { DirtyGuard } from '../../components/overlays/dirty-guard.js';
import { PageHeader } from '../../components/layout/page-header.js';
import { ErrorState } from '../../components/feedback/states.js';
import { AccountCard } from './account-card.js';
import { BindingCard } from './binding-card.js';
import { DangerCard, DataCard } from './data-cards.js';
import { FactorsCard } from './factors-card.js';
import { InviteCard } from './invite-card.js';
import { NotifyCard } from './notify-card.js';
import { PriceCard } from './price-card.js';
import { ProfileCard } from './profile-card.js';
import { SecurityCard } from './security-card.js';
import { SessionsCard } from './sessions-card.js';

function Cards({ user }: { user: User }) {
  const { t } = useTranslation('personal');
  const [unsaved, setUnsaved] = useState<Record<string, boolean>>({});
  const onDirty = useCallback(
    (form: string, dirty: boolean) => setUnsaved((now) => (now[form] === dirty ? now : { ...now, [form]: dirty })),
    [],
  );
  const setting = useMemo(() => settingOf(user.setting), [user.setting]);
  return (
    <>
      <AccountCard user={user} />
      <InviteCard user={user} />
      <BindingCard user={user} />
      <ProfileCard user={user} onDirty={onDirty} />
      <NotifyCard setting={setting} onDirty={onDirty} />
      <PriceCard setting={setting} onDirty={onDirty} />
      <SecurityCard user={user} />
      <FactorsCard demanded={false} />
      <SessionsCard />
      <Card title={t('deliveries.title')}>
        <DeliveryList />
      </Card>
      <DataCard user={user} />
      <DangerCard user={user} />
      <DirtyGuard dirty={Object.values(unsaved).some(Boolean)} />
    </>
  );
}

export function PersonalPage() {
  const { t } = useTranslation('personal');
  // The server counts the user as enrolled before the recovery codes were seen, so this keeps the card on the page.
  const [enrolling, setEnrolling] = useState(false);
  const {
    data: user,
    error,
    refetch,
    fulfilledTimeStamp,
  } = useGetSelfQuery(undefined, {
    refetchOnMountOrArgChange: true,
  });
  return (
    <Stack sx={{ maxWidth: 960, width: '100%' }}>
      <PageHeader title={t('title')} freshness={{ at: fulfilledTimeStamp, refetch }} />
      <Stack spacing={2}>
        {error != null && <ErrorState error={error} retry={() => void refetch()} />}
        {user ? (
          user.must_set_two_factor || enrolling ? (
            <FactorsCard demanded onPending={setEnrolling} />
          ) : (
            <Cards user={user} />
          )
        ) : (
          !error && <Placeholder style={{ height: 200 }} />
        )}
      </Stack>
    </Stack>
  );
}
