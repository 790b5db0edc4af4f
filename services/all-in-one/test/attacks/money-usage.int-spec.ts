import { embedded, openArena } from './arena.js';
import { describeUsageAttacks } from './money-usage.js';

describeUsageAttacks('in one process', () => openArena(embedded));
