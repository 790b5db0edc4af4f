import { createBrowserRouter } from 'react-router-dom';
import type { RouteObject } from 'react-router-dom';
import { Frame } from './layout/frame.js';
import { PageOutlet } from './layout/page-outlet.js';
import { loadPart } from '../components/basics/lazy-part.js';
import { CrashState } from '../components/feedback/states.js';
import { loadTexts } from '../app/i18n/index.js';
import type { PageRow } from '../app/page-list.js';
import { pages } from '../app/page-list.js';
import { loadPage } from './load-page.js';

const routeOf = (row: PageRow): RouteObject => ({
  path: row.path,
  handle: row,
  errorElement: <CrashState />,
  // The frame is rendered while the page is being loaded.
  HydrateFallback: () => null,
  lazy: async () => {
    // Page and texts are loaded in parallel.
    const texts = [row.id, ...(row.alsoTextsOf ?? [])].map((id) => loadPart(() => loadTexts(id)));
    const [Page] = await Promise.all([loadPart(() => loadPage(row)), ...texts]);
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
