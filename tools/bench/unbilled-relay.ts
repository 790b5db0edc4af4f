/**
 * The relay with accounting replaced by no-ops: nothing is held, rated or recorded, all else is unchanged. The product
 * has no such switch; the difference to the real relay shows what accounting costs.
 */
import { runProcess } from '@tollgate/process';
import { relay } from '@tollgate/relay';
// eslint-disable-next-line @nx/enforce-module-boundaries -- what is switched off here is nobody's business outside of the relay
import { Budget } from '../../services/relay/src/budget/budget.js';
// eslint-disable-next-line @nx/enforce-module-boundaries -- as above
import { Settlement } from '../../services/relay/src/settlement/settlement.js';

const nothing = (): Promise<void> => Promise.resolve();
const freeHold = { epoch: '', amount: Number.MAX_SAFE_INTEGER, settle: () => undefined, grow: () => true };

Budget.prototype.holdAtOnce = () => freeHold;
Budget.prototype.hold = () => Promise.resolve(freeHold);
Settlement.prototype.open = nothing;
Settlement.prototype.progress = nothing;
Settlement.prototype.close = nothing;
Settlement.prototype.closeDelivered = nothing;

await runProcess([relay], { front: 'relay' });
