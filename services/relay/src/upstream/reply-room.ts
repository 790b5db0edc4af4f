import type { ServerResponse } from 'node:http';
import { Injectable } from '@nestjs/common';
import { Host, Metrics } from '@tollgate/chassis';
import { noRoom } from '../body/body-reader.js';
import { ByteBudget } from '../body/byte-budget.js';
import type { RelayCall } from '../call/relay-call.js';
import type { ReplyMemory } from './upstream-response.js';

const MB = 1024 * 1024;
/** The pieces and the whole of a reply are in memory at the same time, later the whole and what is parsed from it. */
const COPIES = 2;
/** The part of the process's limit that the replies of one user may take. */
const USER_SHARE = 0.5;

/** The memory that one reply takes. */
interface ReplyClaim extends ReplyMemory {
  /** Called at the end of the attempt. Bytes that are still being sent to a client are released when that is done. */
  release(): void;
}

/**
 * Counts the memory of replies that are read as a whole, from their first byte until their clients have received them.
 * There is no queue: a reply that finds no room is refused.
 */
@Injectable()
export class ReplyRoom {
  private readonly budget: ByteBudget;

  constructor({ env }: Host, metrics: Metrics) {
    const bytes = env.TOLLGATE_REPLIES_MB * MB;
    this.budget = new ByteBudget({ process: bytes, user: bytes * USER_SHARE, address: Infinity });
    metrics.measured('tollgate_relay_reply_bytes', 'Whole replies in memory, with what is made of them.', [], () =>
      Promise.resolve([{ labels: {}, value: this.budget.inFlight }]),
    );
  }

  /** `take` throws a refusal with status 503. */
  claim({ user, response }: Pick<RelayCall, 'user' | 'response'>): ReplyClaim {
    const claim = this.budget.claim(user.id, '');
    return {
      take: (bytes) => {
        const full = claim.take(bytes * COPIES);
        if (full !== undefined) throw noRoom(full, '回复');
      },
      release: () => {
        if (isOnItsWay(response)) response.once('close', () => claim.release());
        else claim.release();
      },
    };
  }
}

const isOnItsWay = ({ writableEnded, destroyed }: ServerResponse): boolean => writableEnded && !destroyed;
