import { embedded, openArena } from './arena.js';
import { describeLeavingAttacks } from './money-leaving.js';

describeLeavingAttacks('in one process', () => openArena(embedded));
