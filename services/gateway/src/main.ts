import { runProcess } from '@tollgate/platform';
import { gateway } from './index.js';

await runProcess([gateway], { front: 'gateway' });
