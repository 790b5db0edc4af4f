import type { OauthProvider } from '@tollgate/contracts/api/oauth';
import { useAuthorizeMutation } from '../../api/session.api.js';
import { readStored } from '../../app/stored.js';
import { openTab } from '../basics/open-tab.js';

/** Goes to a provider's sign-in page, in a new tab if wanted. After a refusal the page stays and a toast shows the reason. */
export function useAuthorize() {
  const [authorize, { isLoading }] = useAuthorizeMutation();
  const go = async (provider: OauthProvider, { newTab }: { newTab: boolean }): Promise<void> => {
    const tab = newTab ? openTab() : window;
    const reply = await authorize({ provider, aff: readStored('aff') ?? '', origin: window.location.origin });
    if (reply.data) (tab ?? window).location.assign(reply.data);
    else if (newTab) tab?.close();
  };
  return { go, busy: isLoading };
}
