import Button from '@mui/material/Button';
import Divider from '@mui/material/Divider';
import Stack from '@mui/material/Stack';
import { Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useLoginByTelegramMutation, useLoginByWechatMutation } from '../../api/session.api.js';
import { selectStatus } from '../../app/slices/status.js';
import { useAppSelector } from '../../app/store.js';
import { lazyPart } from '../basics/lazy-part.js';
import { providers } from './sign-in-providers.js';
import type { Provider } from './sign-in-providers.js';
import type { SignedIn } from './second-step.js';
import { TelegramButton } from './telegram-button.js';
import { useAuthorize } from './use-authorize.js';

const WechatDialog = lazyPart(async () => (await import('./wechat-dialog.js')).WechatDialog);

interface EntryProps {
  onSignedIn: (reply: SignedIn) => void;
}

function Telegram({ onSignedIn }: EntryProps) {
  const { telegram_bot_name: bot = '' } = useAppSelector(selectStatus);
  const [login] = useLoginByTelegramMutation();
  const enter = async (fields: Record<string, string>) => {
    const reply = await login(fields);
    if (reply.data) onSignedIn(reply.data);
  };
  return <TelegramButton bot={bot} onSigned={(fields) => void enter(fields)} />;
}

function Wechat({ onSignedIn, onClose }: EntryProps & { onClose: () => void }) {
  const [login, { isLoading, error }] = useLoginByWechatMutation();
  const submit = async (code: string) => {
    const reply = await login(code);
    if (reply.data) onSignedIn(reply.data);
  };
  return (
    <Suspense fallback={null}>
      <WechatDialog onClose={onClose} onCode={(code) => void submit(code)} busy={isLoading} error={error} />
    </Suspense>
  );
}

/** The buttons for third-party accounts on the login and registration pages. */
export function ProviderButtons({ onSignedIn }: EntryProps) {
  const { t } = useTranslation('login');
  const status = useAppSelector(selectStatus);
  const { go } = useAuthorize();
  const [wechat, setWechat] = useState(false);
  const enabled = providers.filter((provider) => provider.enabled(status));
  const telegram = status.telegram_oauth === true && Boolean(status.telegram_bot_name);
  if (enabled.length === 0 && !telegram) return null;

  const start = ({ id, newTab }: Provider) => {
    if (id === 'wechat') setWechat(true);
    else void go(id, { newTab });
  };
  return (
    <Stack spacing={1.5}>
      <Divider sx={{ typography: 'caption', color: 'text.tertiary' }}>{t('thirdParty')}</Divider>
      <Stack direction="row" sx={{ flexWrap: 'wrap', gap: 1 }}>
        {enabled.map((provider) => (
          <Button key={provider.id} variant="outlined" sx={{ flex: '1 1 40%' }} onClick={() => start(provider)}>
            {t(`provider.${provider.id}`)}
          </Button>
        ))}
      </Stack>
      {telegram && <Telegram onSignedIn={onSignedIn} />}
      {wechat && <Wechat onSignedIn={onSignedIn} onClose={() => setWechat(false)} />}
    </Stack>
  );
}
