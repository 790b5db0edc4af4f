import { runProcess } from '@tollgate/platform';
import { billing } from './index.js';

await runProcess([billing], { front: 'billing' });
