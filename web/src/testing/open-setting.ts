import { fireEvent, screen, within } from '@testing-library/react';
import { defaultOptions, isSecret, optionKeys } from '@tollgate/contracts/options/index';
import type { Call } from './fake-fetch.js';
import { refusal, success } from './fake-fetch.js';
import { renderPage, root } from './render-page.js';
import { texts as zh } from '../pages/setting/zh.js';

/** The reply with all options: their default values, except for `changed`. */
export const listOf = (changed: Record<string, string> = {}, revision = 3) =>
  success(
    optionKeys.map((key) =>
      isSecret(key)
        ? { key, value: '', revision: 0, secret: true, is_set: key === 'SMTPToken' }
        : { key, value: changed[key] ?? defaultOptions[key], revision },
    ),
  );

export async function openSettings(
  address: string,
  put: unknown = success(),
  user = root,
  list: () => unknown = () => listOf(),
) {
  const view = await renderPage(address, {
    user,
    replies: {
      'GET /api/option/': list,
      'PUT /api/option/': put,
      'POST /api/option/rest_model_ratio': success(),
      'GET /api/channel/models_enabled': success(['gpt-4o', 'brand-new', 'brand-new']),
      'GET /api/log/': success({ items: [], total: 42, page: 1, page_size: 1 }),
      'DELETE /api/log/': success(42),
      'POST /api/option/oidc_discovery': ({ body }: Call) =>
        (body as { url: string }).url.endsWith('refused')
          ? refusal('No document there', 'oidc-discovery-failed')
          : success({ authorization_endpoint: 'https://id.example/a' }),
    },
  });
  await screen.findByRole('heading', { level: 1, name: zh.title });
  const puts = () => view.network.of('PUT', '/api/option/').map(({ body }) => body as Record<string, unknown>);
  return { ...view, puts };
}
export const card = async (name: string) => within(await screen.findByRole('region', { name }));
export const type = (field: HTMLElement, value: string) => fireEvent.change(field, { target: { value } });
