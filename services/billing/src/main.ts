import { runProcess } from '@tollgate/process';
import { billing } from './index.js';

await runProcess([billing], { front: 'billing' });
