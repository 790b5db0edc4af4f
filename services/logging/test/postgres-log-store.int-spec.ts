import { describeLogStore } from './contract-log-store.js';
import { openLogDesk } from './log-desk.js';

describeLogStore('PostgreSQL', () => openLogDesk());
