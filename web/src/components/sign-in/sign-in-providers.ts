import type { OauthProvider } from '@tollgate/contracts/api/oauth';
import type { Status } from '@tollgate/contracts/api/status';

export interface Provider {
  id: OauthProvider | 'wechat';
  /** The provider's page opens in a new tab. */
  newTab: boolean;
  enabled(status: Partial<Status>): boolean;
}

/** In the order of the page; a provider is shown only if the operator has enabled it. */
export const providers: readonly Provider[] = [
  { id: 'github', newTab: true, enabled: (status) => status.github_oauth === true },
  { id: 'oidc', newTab: false, enabled: (status) => status.oidc_enabled === true },
  { id: 'linuxdo', newTab: true, enabled: (status) => status.linuxdo_oauth === true },
  { id: 'wechat', newTab: false, enabled: (status) => status.wechat_login === true },
];
