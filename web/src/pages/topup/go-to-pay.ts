import type { TopUpPayReply } from '@tollgate/contracts/api/top-up';

/** Only web addresses: an address such as `javascript:` in the operator's settings must not run here. */
const isPage = (url: string): boolean => /^https?:\/\//i.test(url) && URL.canParse(url);

/**
 * Opens the page of the payment provider: posts a form if there are fields, otherwise navigates to the address. Without
 * `tab` it uses the current tab.
 */
export function goToPay({ url, data }: Pick<TopUpPayReply, 'url' | 'data'>, tab: Window | null): void {
  if (!isPage(url)) {
    tab?.close();
    return;
  }
  const target = tab ?? window;
  if (Object.keys(data).length === 0) {
    target.location.assign(url);
    return;
  }
  const { document } = target;
  const form = document.createElement('form');
  form.method = 'POST';
  form.action = url;
  for (const [name, value] of Object.entries(data)) {
    const input = document.createElement('input');
    input.type = 'hidden';
    input.name = name;
    input.value = value;
    form.append(input);
  }
  document.body.append(form);
  form.submit();
}
