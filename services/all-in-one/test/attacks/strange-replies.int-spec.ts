import { embedded, openArena } from './arena.js';
import { describeStrangeReplies } from './strange-replies.js';

describeStrangeReplies('in one process', () => openArena(embedded));
