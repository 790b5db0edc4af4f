import { embedded, openArena } from './arena.js';
import { describeReplyAttacks } from './memory.js';

describeReplyAttacks('in one process', () => openArena(embedded));
