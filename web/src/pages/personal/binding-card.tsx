import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import type { BindingName } from '@tollgate/contracts/api/oauth';
import type { Status } from '@tollgate/contracts/api/status';
import type { User } from '@tollgate/contracts/api/user';
import { Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useBindWechatMutation, useUnbindMutation } from '../../api/self.api.js';
import { selectStatus } from '../../app/slices/status.js';
import { toastShown } from '../../app/slices/toasts.js';
import { useAppDispatch, useAppSelector } from '../../app/store.js';
import { Card } from '../../components/layout/card.js';
import { loadTexts } from '../../app/i18n/index.js';
import { lazyPart } from '../../components/basics/lazy-part.js';
import { Tag } from '../../components/texts/tag.js';
import { TelegramButton } from '../../components/sign-in/telegram-button.js';
import { useAuthorize } from '../../components/sign-in/use-authorize.js';
import { useCountdown } from '../../components/basics/use-countdown.js';
import { useConfirm } from '../../components/overlays/use-confirm.js';

const EmailDialog = lazyPart(async () => (await import('./email-dialog.js')).EmailDialog);
const WechatDialog = lazyPart(async () => {
  const part = import('../../components/sign-in/wechat-dialog.js');
  return (await Promise.all([part, loadTexts('login')]))[0].WechatDialog;
});

interface Binding {
  id: BindingName;
  value: (user: User) => string;
  /** The status flag of the operator's switch; a binding without a flag is always offered. */
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

interface RowProps {
  binding: Binding;
  user: User;
  enabled: boolean;
  onBind: (id: BindingName) => void;
  onUnbind: (id: BindingName) => void;
}

/**
 * A bound account of a login provider must be unbound before another one is bound; an email address or WeChat account
 * is replaced directly.
 */
function Actions({ binding: { id }, bound, enabled, onBind, onUnbind }: Omit<RowProps, 'user'> & { bound: boolean }) {
  const { t } = useTranslation('personal');
  const { telegram_bot_name: bot = '' } = useAppSelector(selectStatus);
  const name = t(`binding.${id}`);
  const canBind = enabled && (!bound || id === 'email' || id === 'wechat');
  const label = t(bound ? 'binding.change' : 'binding.bind');
  if (id === 'telegram' && canBind && bot !== '')
    return <TelegramButton bot={bot} authUrl="/api/oauth/telegram/bind" />;
  return (
    <>
      {canBind && id !== 'telegram' && (
        <Button size="small" aria-label={`${label} ${name}`} onClick={() => onBind(id)}>
          {label}
        </Button>
      )}
      {bound && (
        <Button size="small" color="error" aria-label={`${t('binding.unbind')} ${name}`} onClick={() => onUnbind(id)}>
          {t('binding.unbind')}
        </Button>
      )}
    </>
  );
}

function Row(props: RowProps) {
  const { t } = useTranslation('personal');
  const { binding, user, enabled } = props;
  const value = binding.value(user);
  const bound = value !== '';
  return (
    <Box
      sx={{
        display: 'flex',
        alignItems: 'center',
        gap: 1,
        minHeight: 40,
        borderBottom: 1,
        borderColor: 'border.subtle',
      }}
    >
      <Box component="dt" sx={{ color: 'text.secondary', width: 72, flexShrink: 0 }}>
        {t(`binding.${binding.id}`)}
      </Box>
      <Box
        component="dd"
        sx={{ m: 0, minWidth: 0, display: 'flex', flex: 1, flexWrap: 'wrap', columnGap: 0.5, alignItems: 'center' }}
      >
        <Box component="span" sx={{ flex: '1 1 150px', minWidth: 0, overflowWrap: 'anywhere' }}>
          {bound ? value : <Tag>{t(enabled ? 'binding.unbound' : 'binding.off')}</Tag>}
        </Box>
        <Actions {...props} bound={bound} />
      </Box>
    </Box>
  );
}

function useUnbind() {
  const { t } = useTranslation('personal');
  const dispatch = useAppDispatch();
  const { confirm, dialog } = useConfirm();
  const [unbind] = useUnbindMutation();
  const ask = (id: BindingName) =>
    confirm({
      title: t('binding.unbindTitle', { name: t(`binding.${id}`) }),
      consequences: [t(id === 'email' ? 'binding.unbindEmail' : 'binding.unbindBody')],
      confirm: { label: t('binding.unbind'), danger: true },
      run: async () => {
        await unbind(id).unwrap();
        dispatch(toastShown({ severity: 'success', key: 'personal:binding.unboundDone' }));
      },
    });
  return { ask, dialog };
}

function BindWechat({ onClose }: { onClose: () => void }) {
  const dispatch = useAppDispatch();
  const [bind, { isLoading, error }] = useBindWechatMutation();
  const submit = async (code: string) => {
    if ((await bind(code)).error) return;
    dispatch(toastShown({ severity: 'success', key: 'personal:binding.wechatDone' }));
    onClose();
  };
  return <WechatDialog onClose={onClose} onCode={(code) => void submit(code)} busy={isLoading} error={error} />;
}

/** The email address and the accounts of login providers that are bound to this account. */
export function BindingCard({ user }: { user: User }) {
  const { t } = useTranslation('personal');
  const status = useAppSelector(selectStatus);
  const { go } = useAuthorize();
  const { ask, dialog } = useUnbind();
  const [open, setOpen] = useState<'email' | 'wechat'>();
  const cooldown = useCountdown();
  const bind = (id: BindingName) => {
    if (id === 'email' || id === 'wechat') setOpen(id);
    else if (id !== 'telegram') void go(id, { newTab: false });
  };
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
        {bindings.map((binding) => (
          <Row
            key={binding.id}
            binding={binding}
            user={user}
            enabled={binding.flag === undefined || status[binding.flag] === true}
            onBind={bind}
            onUnbind={ask}
          />
        ))}
      </Box>
      <Suspense fallback={null}>
        {open === 'email' && <EmailDialog onClose={() => setOpen(undefined)} cooldown={cooldown} />}
        {open === 'wechat' && <BindWechat onClose={() => setOpen(undefined)} />}
      </Suspense>
      {dialog}
    </Card>
  );
}
