import type { TopUpPayReply } from '@tollgate/contracts/api/top-up';

/** Only what a browser may open as a page: an operator's mistake must not run here. */
const isPage = (url: string): boolean => /^https?:\/\//i.test(url) && URL.canParse(url);

/** Takes the order to the provider: by a form where there are fields, else by its address. Without a tab in this one. */
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
