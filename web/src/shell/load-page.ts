import type { ComponentType } from 'react';
import type { PageRow } from '../app/page-list.js';

type Module = Record<string, ComponentType | undefined>;

/** Name of the exported component: `not-found` → `NotFoundPage`. */
const nameOf = (id: string): string => `${id.replace(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase())}Page`;

/** Loads the component of a page from its folder. */
export async function loadPage({ id }: Pick<PageRow, 'id'>): Promise<ComponentType> {
  const page = ((await import(`../pages/${id}/${id}-page.tsx`)) as Module)[nameOf(id)];
  if (!page) throw new Error(`pages/${id}/${id}-page.tsx exports no ${nameOf(id)}`);
  return page;
}
