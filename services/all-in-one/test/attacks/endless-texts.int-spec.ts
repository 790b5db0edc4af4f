import { embedded, openArena } from './arena.js';
import { describeEndlessTexts } from './endless-texts.js';

describeEndlessTexts('in one process', () => openArena(embedded));
