import { runProcess } from '@tollgate/platform';
import { identity } from './index.js';

await runProcess([identity], { front: 'identity' });
