import { runProcess } from '@tollgate/process';
import { logging } from './index.js';

await runProcess([logging], { front: 'logging' });
