import { runProcess } from '@tollgate/process';
import { relay } from './index.js';

await runProcess([relay], { front: 'relay' });
