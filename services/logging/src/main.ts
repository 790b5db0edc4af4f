import { runProcess } from '@tollgate/platform';
import { logging } from './index.js';

await runProcess([logging], { front: 'logging' });
