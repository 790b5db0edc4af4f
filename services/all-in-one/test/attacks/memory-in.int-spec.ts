import { embedded, openArena } from './arena.js';
import { describeIncomingAttacks } from './memory.js';

describeIncomingAttacks('in one process', () => openArena(embedded));
