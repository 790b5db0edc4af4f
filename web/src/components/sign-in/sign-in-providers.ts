import type { OauthProvider } from '@tollgate/contracts/api/oauth';
import type { Status } from '@tollgate/contracts/api/status';

export interface Provider {
  id: OauthProvider | 'wechat';
  /** Opens in a tab of its own. */
  newTab: boolean;
  enabled(status: Partial<Status>): boolean;
}

/** In the order of the page; each shows only when the operator has switched it on. */
export const providers: readonly Provider[] = [
  { id: 'github', newTab: true, enabled: (status) => status.github_oauth === true },
  { id: 'oidc', newTab: false, enabled: (status) => status.oidc_enabled === true },
  { id: 'linuxdo', newTab: true, enabled: (status) => status.linuxdo_oauth === true },
  { id: 'wechat', newTab: false, enabled: (status) => status.wechat_login === true },
];
