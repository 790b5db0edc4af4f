import { runProcess } from '@tollgate/process';
import { identity } from './index.js';

await runProcess([identity], { front: 'identity' });
