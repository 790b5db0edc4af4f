import Stack from '@mui/material/Stack';
import type { OidcDiscovery as Discovery } from '@tollgate/contracts/api/option';
import { useTranslation } from 'react-i18next';
import { useDiscoverOidcMutation } from '../../api/option.api.js';
import { toastShown } from '../../app/slices/toasts.js';
import { useAppDispatch } from '../../app/store.js';
import { BusyButton } from '../../components/basics/busy-button.js';
import { Callout } from '../../components/feedback/callout.js';
import { useOptionDraft, useDraftValue } from './option-draft.js';
import type { SettingField } from './setting-fields.js';

const targets: readonly [SettingField, keyof Discovery][] = [
  [{ key: 'oidc.authorization_endpoint', kind: 'link' }, 'authorization_endpoint'],
  [{ key: 'oidc.token_endpoint', kind: 'link' }, 'token_endpoint'],
  [{ key: 'oidc.user_info_endpoint', kind: 'link' }, 'userinfo_endpoint'],
];

/**
 * Shows the addresses to register with the provider, and reads the provider's own addresses from its discovery
 * document.
 */
export function OidcDiscovery() {
  const { t } = useTranslation('setting');
  const dispatch = useAppDispatch();
  const draft = useOptionDraft();
  const [read, { isLoading }] = useDiscoverOidcMutation();
  const address = useDraftValue((now) => now.textOf('oidc.well_known').trim());
  const server = useDraftValue((now) => now.options.ServerAddress?.value) || window.location.origin;

  const discover = async () => {
    if (!/^https?:\/\//i.test(address)) {
      dispatch(toastShown({ severity: 'error', key: 'setting:oidc.address' }));
      return;
    }
    // Errors of the request are already shown as a toast with their reason.
    const { data: found } = await read(address);
    if (!found) return;
    for (const [field, name] of targets) if (found[name]) draft.change(field, found[name]);
    dispatch(toastShown({ severity: 'success', key: 'setting:oidc.found' }));
  };
  return (
    <Stack spacing={1} sx={{ alignItems: 'flex-start' }}>
      <BusyButton variant="outlined" busy={isLoading} onClick={() => void discover()}>
        {t('oidc.discover')}
      </BusyButton>
      <Callout severity="info" sx={{ width: '100%', overflowWrap: 'anywhere' }}>
        {t('oidc.register', { home: server, callback: `${server}/oauth/oidc` })}
      </Callout>
    </Stack>
  );
}
