import { embedded, openArena } from './arena.js';
import { describeHoldAttacks } from './money-holds.js';

describeHoldAttacks('in one process', () => openArena(embedded));
