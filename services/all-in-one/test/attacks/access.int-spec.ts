import { describeAccessAttacks } from './access.js';
import { embedded, openArena } from './arena.js';

describeAccessAttacks('in one process', () => openArena(embedded));
