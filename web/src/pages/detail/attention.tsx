import { skipToken } from '@reduxjs/toolkit/query';
import { ChannelStatus, isAdmin } from '@tollgate/contracts/roles';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { selectRole } from '../../app/slices/session.js';
import { useAppSelector } from '../../app/store.js';
import { Callout } from '../../components/feedback/callout.js';
import { useCountChannelsQuery } from '../../api/channel.api.js';

/** Notices that need an administrator's attention; renders nothing if there are none. */
export function Attention() {
  const { t } = useTranslation('detail');
  const admin = isAdmin(useAppSelector(selectRole));
  const { data: counts } = useCountChannelsQuery(admin ? undefined : skipToken);
  const off = counts?.auto_disabled ?? 0;
  if (off === 0) return null;
  return (
    <Callout severity="warning" title={t('attention.title')}>
      <Link to={`/channel?status=${ChannelStatus.autoDisabled}`}>{t('attention.off', { count: off })}</Link>
    </Callout>
  );
}
