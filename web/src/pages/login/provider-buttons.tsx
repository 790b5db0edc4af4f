import Button from '@mui/material/Button';
import Divider from '@mui/material/Divider';
import Stack from '@mui/material/Stack';
import type { SessionUser } from '@tollgate/contracts/api/user';
import { Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { selectStatus } from '../../app/slices/status.js';
import { readStored } from '../../app/stored.js';
import { openTab } from '../../components/open-tab.js';
import { useAppSelector } from '../../app/store.js';
import { useLazyGetOauthStateQuery } from '../../api/session.api.js';
import type { Provider } from './providers.js';
import { providers } from './providers.js';
import { lazyPart } from '../../components/lazy-part.js';

const WechatDialog = lazyPart(async () => (await import('./wechat-dialog.js')).WechatDialog);

/** The third-party block of login and registration. */
export function ProviderButtons({ onSignedIn }: { onSignedIn: (user: SessionUser) => void }) {
  const { t } = useTranslation('login');
  const status = useAppSelector(selectStatus);
  const [askState] = useLazyGetOauthStateQuery();
  const [wechat, setWechat] = useState(false);
  const enabled = providers.filter((provider) => provider.enabled(status));
  if (enabled.length === 0) return null;

  const start = async ({ authorize, newTab }: Provider) => {
    if (!authorize) {
      setWechat(true);
      return;
    }
    const tab = newTab ? openTab() : window;
    const reply = await askState({ aff: readStored('aff') ?? undefined });
    if (reply.data) (tab ?? window).location.assign(authorize(status, reply.data, window.location.origin));
    else if (newTab) tab?.close();
  };
  return (
    <Stack spacing={1.5}>
      <Divider sx={{ typography: 'caption', color: 'text.tertiary' }}>{t('thirdParty')}</Divider>
      <Stack direction="row" sx={{ flexWrap: 'wrap', gap: 1 }}>
        {enabled.map((provider) => (
          <Button key={provider.id} variant="outlined" sx={{ flex: '1 1 40%' }} onClick={() => void start(provider)}>
            {t(`provider.${provider.id}`)}
          </Button>
        ))}
      </Stack>
      {wechat && (
        <Suspense fallback={null}>
          <WechatDialog onClose={() => setWechat(false)} onSignedIn={onSignedIn} />
        </Suspense>
      )}
    </Stack>
  );
}
