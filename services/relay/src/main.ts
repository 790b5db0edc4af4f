import { runProcess } from '@tollgate/platform';
import { relay } from './index.js';

await runProcess([relay], { front: 'relay' });
