import { createRoot } from 'react-dom/client';
import { App } from './app/app.js';
import { startI18n } from './app/i18n/index.js';
import { createRouter } from './app/router.js';
import { createStore } from './app/store.js';

await startI18n();
const root = document.getElementById('root');
if (!root) throw new Error('index.html has no #root');
createRoot(root).render(<App store={createStore()} router={createRouter()} />);
