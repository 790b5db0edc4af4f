import i18n from 'i18next';
import { createBrowserRouter } from 'react-router-dom';
import type { RouteObject } from 'react-router-dom';
import { Frame } from './layout/frame.js';
import { PageOutlet } from './layout/page-outlet.js';
import { loadPart } from '../components/basics/lazy-part.js';
import { CrashState } from '../components/feedback/states.js';
import type { PageRow } from '../app/page-list.js';
import { pages } from '../app/page-list.js';
import { loadPage } from './load-page.js';

/** A page without its texts would show their keys. */
async function loadTexts(id: string): Promise<void> {
  await i18n.loadNamespaces(id);
  if (!i18n.hasLoadedNamespace(id)) throw new Error(`no texts of ${id}`);
}

const routeOf = (row: PageRow): RouteObject => ({
  path: row.path,
  handle: row,
  errorElement: <CrashState />,
  // The frame is drawn while the page is on its way.
  HydrateFallback: () => null,
  lazy: async () => {
    // Page and texts travel side by side.
    const [Page] = await Promise.all([loadPart(() => loadPage(row)), loadPart(() => loadTexts(row.id))]);
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
