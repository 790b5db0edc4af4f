import { setupListeners } from '@reduxjs/toolkit/query';
import { createRoot } from 'react-dom/client';
import { App } from './shell/app.js';
import { startI18n } from './app/i18n/index.js';
import { followOtherTabs } from './app/other-tabs.js';
import { loadDictionary } from './shell/dictionaries.js';
import { createRouter } from './shell/router.js';
import { startLive } from './shell/start-live.js';
import { haveTexts } from './shell/start-texts.js';
import { createStore } from './app/store.js';

/** In development `?lang=en-XA` shows the texts of the dictionaries in the pseudo-language; all other texts stay as they are. */
async function startTexts(): Promise<void> {
  if (import.meta.env.DEV && new URLSearchParams(window.location.search).get('lang') === 'en-XA') {
    const { pseudo } = await import('./app/i18n/pseudo.js');
    return startI18n(async (_, namespace) => pseudo(await loadDictionary('en', namespace)), 'en');
  }
  return startI18n(loadDictionary);
}

const root = document.getElementById('root');
if (!root) throw new Error('index.html has no #root');
if (await haveTexts(root, startTexts)) {
  const store = createStore();
  // Without these listeners hidden pages would continue to poll.
  setupListeners(store.dispatch);
  followOtherTabs(store);
  createRoot(root).render(<App store={store} router={createRouter()} />);
  void startLive(store);
  // The outcome of the first save is shown also if a newer version is deployed before.
  void import('./components/feedback/toast-stack.js').catch(() => undefined);
}
