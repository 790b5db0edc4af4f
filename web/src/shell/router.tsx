import { createBrowserRouter } from 'react-router-dom';
import type { RouteObject } from 'react-router-dom';
import { Frame } from './layout/frame.js';
import { PageOutlet } from './layout/page-outlet.js';
import type { ComponentType } from 'react';
import { lazyPart, loadPart } from '../components/basics/lazy-part.js';
import { CrashState, MissingState } from '../components/feedback/states.js';
import { loadTexts } from '../app/i18n/index.js';
import type { PageRow } from '../app/page-list.js';
import { pages } from '../app/page-list.js';
import { loadPage } from './load-page.js';

/** Page and texts are loaded in parallel. */
async function loadWhole(row: PageRow): Promise<ComponentType> {
  const texts = [row.id, ...(row.alsoTextsOf ?? [])].map(loadTexts);
  return (await Promise.all([loadPage(row), ...texts]))[0];
}

/** The router asks for a page once only, so that one which did not load must be able to load later. */
async function pageOf(row: PageRow): Promise<ComponentType> {
  const first = loadPart(() => loadWhole(row));
  return first.catch(() => lazyPart(() => loadWhole(row), { instead: MissingState, first }));
}

const routeOf = (row: PageRow): RouteObject => ({
  path: row.path,
  handle: row,
  errorElement: <CrashState />,
  // The frame is rendered while the page is being loaded.
  HydrateFallback: () => null,
  lazy: async () => {
    const Page = await pageOf(row);
    return {
      Component: () => (
        <PageOutlet row={row}>
          <Page />
        </PageOutlet>
      ),
    };
  },
});

export const routes: RouteObject[] = [
  { element: <Frame />, errorElement: <CrashState />, children: pages.map(routeOf) },
];

export const createRouter = () => createBrowserRouter(routes);
