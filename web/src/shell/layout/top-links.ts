import type { Status } from '@tollgate/contracts/api/status';
import type { TextKey } from '../../app/i18n/text-keys.js';
import { pageById } from '../../app/page-list.js';

export interface TopLink {
  id: string;
  titleKey: TextKey;
  to: string;
  external?: boolean;
}

const isReady = (id: string): boolean => pageById(id).ready;
const http = (address: string | undefined): string | undefined =>
  address && /^https?:\/\//i.test(address) ? address : undefined;

/** Items of the top bar in the order of the spec; what is not configured or not built is left out. */
export function topLinks(status: Partial<Status>): TopLink[] {
  const docs = http(status.docs_link);
  const support = http(status.customer_service_link);
  const rows: (TopLink | false)[] = [
    { id: 'home', titleKey: 'nav.home', to: '/' },
    isReady('detail') && { id: 'console', titleKey: 'nav.console', to: '/detail' },
    isReady('pricing') && { id: 'pricing', titleKey: 'nav.pricing', to: '/pricing' },
    docs !== undefined && { id: 'docs', titleKey: 'nav.docs', to: docs, external: true },
    isReady('about') && { id: 'about', titleKey: 'nav.about', to: '/about' },
    support !== undefined && { id: 'support', titleKey: 'nav.support', to: support, external: true },
  ];
  return rows.filter((row) => row !== false);
}
