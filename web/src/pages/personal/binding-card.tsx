import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import type { Status } from '@tollgate/contracts/api/status';
import type { User } from '@tollgate/contracts/api/user';
import { useTranslation } from 'react-i18next';
import { selectStatus } from '../../app/slices/status.js';
import { useAppSelector } from '../../app/store.js';
import { Card } from '../../components/card.js';
import { Tag } from '../../components/tag.js';

interface Binding {
  id: string;
  value: (user: User) => string;
  /** The operator's switch; without one the binding is always there. */
  flag?: keyof Status;
}

const bindings: readonly Binding[] = [
  { id: 'email', value: ({ email }) => email },
  { id: 'wechat', value: ({ wechat_id: id }) => id, flag: 'wechat_login' },
  { id: 'github', value: ({ github_id: id }) => id, flag: 'github_oauth' },
  { id: 'oidc', value: ({ oidc_id: id }) => id, flag: 'oidc_enabled' },
  { id: 'telegram', value: ({ telegram_id: id }) => id, flag: 'telegram_oauth' },
  { id: 'linuxdo', value: ({ linux_do_id: id }) => id, flag: 'linuxdo_oauth' },
];

function State({ value, enabled }: { value: string; enabled: boolean }) {
  const { t } = useTranslation('personal');
  if (value !== '') return <Tag color="green">{t('binding.bound')}</Tag>;
  return <Tag>{t(enabled ? 'binding.unbound' : 'binding.off')}</Tag>;
}

/** Which accounts elsewhere belong to this one. */
export function BindingCard({ user }: { user: User }) {
  const { t } = useTranslation('personal');
  const status = useAppSelector(selectStatus);
  return (
    <Card title={t('binding.title')}>
      <Box
        component="dl"
        sx={{
          m: 0,
          display: 'grid',
          gridTemplateColumns: { xs: 'minmax(0, 1fr)', sm: 'repeat(2, minmax(0, 1fr))' },
          columnGap: 4,
          typography: 'body2',
        }}
      >
        {bindings.map(({ id, value, flag }) => (
          <Box
            key={id}
            sx={{
              display: 'flex',
              alignItems: 'center',
              gap: 1,
              minHeight: 36,
              borderBottom: 1,
              borderColor: 'border.subtle',
            }}
          >
            <Box component="dt" sx={{ color: 'text.secondary', width: 80, flexShrink: 0 }}>
              {t(`binding.${id}`)}
            </Box>
            <Box component="dd" sx={{ m: 0, minWidth: 0, display: 'flex', flex: 1, gap: 1, alignItems: 'center' }}>
              <Box
                component="span"
                title={value(user)}
                sx={{ flex: 1, minWidth: 0, overflow: 'hidden', textOverflow: 'ellipsis', whiteSpace: 'nowrap' }}
              >
                {value(user)}
              </Box>
              <State value={value(user)} enabled={flag === undefined || status[flag] === true} />
            </Box>
          </Box>
        ))}
      </Box>
      <Typography variant="caption" component="p" sx={{ color: 'text.tertiary', mt: 1 }}>
        {t('binding.later')}
      </Typography>
    </Card>
  );
}
