import type { Status } from '@tollgate/contracts/api/status';

export type ProviderId = 'github' | 'oidc' | 'linuxdo' | 'wechat';

export interface Provider {
  id: ProviderId;
  /** Opens in a tab of its own. */
  newTab: boolean;
  enabled(status: Partial<Status>): boolean;
  /** Where the browser goes; undefined: a dialog of ours. */
  authorize?(status: Partial<Status>, state: string, origin: string): string;
}

const address = (base: string, params: Record<string, string>): string => {
  const url = new URL(base);
  for (const [key, value] of Object.entries(params)) url.searchParams.set(key, value);
  return url.toString();
};

/** In the order of the page; each shows only when the operator has switched it on. */
export const providers: readonly Provider[] = [
  {
    id: 'github',
    newTab: true,
    enabled: (status) => status.github_oauth === true,
    authorize: ({ github_client_id: client = '' }, state) =>
      address('https://github.com/login/oauth/authorize', { client_id: client, state, scope: 'user:email' }),
  },
  {
    id: 'oidc',
    newTab: false,
    enabled: (status) => status.oidc_enabled === true && URL.canParse(status.oidc_authorization_endpoint ?? ''),
    authorize: ({ oidc_client_id: client = '', oidc_authorization_endpoint: endpoint = '' }, state, origin) =>
      address(endpoint, {
        client_id: client,
        redirect_uri: `${origin}/oauth/oidc`,
        response_type: 'code',
        scope: 'openid profile email',
        state,
      }),
  },
  {
    id: 'linuxdo',
    newTab: true,
    enabled: (status) => status.linuxdo_oauth === true,
    authorize: ({ linuxdo_client_id: client = '' }, state) =>
      address('https://connect.linux.do/oauth2/authorize', { response_type: 'code', client_id: client, state }),
  },
  { id: 'wechat', newTab: false, enabled: (status) => status.wechat_login === true },
];
