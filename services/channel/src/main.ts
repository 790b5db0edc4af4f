import { runProcess } from '@tollgate/platform';
import { channel } from './index.js';

await runProcess([channel], { front: 'channel' });
