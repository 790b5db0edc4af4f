import type { Status } from '@tollgate/contracts/api/status';
import type { TextKey } from '../../app/i18n/text-keys.js';

interface TopLink {
  id: string;
  titleKey: TextKey;
  to: string;
  external?: boolean;
}

const http = (address: string | undefined): string | undefined =>
  address && /^https?:\/\//i.test(address) ? address : undefined;

/**
 * Items of the top bar in the order of the spec, without those that are not configured. None before the set-up, because all would be
 * redirected to the wizard.
 */
export function topLinks(status: Partial<Status>): TopLink[] {
  if (status.setup === false) return [];
  const docs = http(status.docs_link);
  const support = http(status.customer_service_link);
  const rows: (TopLink | false)[] = [
    { id: 'home', titleKey: 'nav.home', to: '/' },
    { id: 'console', titleKey: 'nav.console', to: '/detail' },
    { id: 'pricing', titleKey: 'nav.pricing', to: '/pricing' },
    docs !== undefined && { id: 'docs', titleKey: 'nav.docs', to: docs, external: true },
    { id: 'about', titleKey: 'nav.about', to: '/about' },
    support !== undefined && { id: 'support', titleKey: 'nav.support', to: support, external: true },
  ];
  return rows.filter((row) => row !== false);
}
