import { Injectable } from '@nestjs/common';
import { type Admitted, Gatekeeper } from '../access/gatekeeper.js';
import { ModelRateLimit } from '../policy/model-rate-limit.js';
import { withQueryKey } from './gemini-call.js';
import type { HotRequest } from './hot-request.js';

/** Lets callers in by their token, in the documented order: token and user, rate limit, address. */
@Injectable()
export class Entry {
  constructor(
    private readonly gatekeeper: Gatekeeper,
    private readonly rateLimit: ModelRateLimit,
  ) {}

  /** Runs `work` for a caller who passes all three, as one call of the rate limit. */
  async counted(request: HotRequest, work: (caller: Admitted, succeeded: () => void) => Promise<void>): Promise<void> {
    const known = this.admit(request);
    const caller = known instanceof Promise ? await known : known;
    const { token, user } = caller;
    await this.rateLimit.counted(user.id, token.group || user.group, async (succeeded) => {
      this.gatekeeper.checkAddress(token, request.address);
      await work(caller, succeeded);
    });
  }

  /** For what the rate limit does not count: the other checks, and that of the group. */
  async uncounted(request: HotRequest): Promise<Admitted & { group: string }> {
    const caller = await this.anyGroup(request);
    return { ...caller, group: this.gatekeeper.groupOf(caller.user, caller.token) };
  }

  /** As `uncounted`, for lists of models, which a key may ask for whatever became of its group. */
  async listing(request: HotRequest): Promise<Admitted & { group?: string }> {
    const caller = await this.anyGroup(request);
    return { ...caller, group: this.gatekeeper.openGroupOf(caller.user, caller.token) };
  }

  private async anyGroup(request: HotRequest): Promise<Admitted> {
    const caller = await this.admit(request);
    this.gatekeeper.checkAddress(caller.token, request.address);
    return caller;
  }

  /** Checks the token and its user, and notes them for the trace of a refused call. Waits only if they are not known. */
  private admit(request: HotRequest): Promise<Admitted> | Admitted {
    const { raw, path } = request;
    const admitted = this.gatekeeper.admit(withQueryKey(raw, path), path);
    return admitted instanceof Promise ? admitted.then((known) => noted(request, known)) : noted(request, admitted);
  }
}

function noted(request: HotRequest, admitted: Admitted): Admitted {
  request.caller = { tokenId: admitted.token.id, userId: admitted.user.id, model: '' };
  return admitted;
}
