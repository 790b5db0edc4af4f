import { runProcess } from '@tollgate/process';
import { gateway } from './index.js';

await runProcess([gateway], { front: 'gateway' });
