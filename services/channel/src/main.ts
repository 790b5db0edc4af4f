import { runProcess } from '@tollgate/process';
import { channel } from './index.js';

await runProcess([channel], { front: 'channel' });
