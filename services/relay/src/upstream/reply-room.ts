import type { ServerResponse } from 'node:http';
import { Injectable } from '@nestjs/common';
import { Host, Metrics } from '@tollgate/chassis';
import { noRoom } from '../body/body-reader.js';
import { ByteBudget } from '../body/byte-budget.js';
import type { RelayCall } from '../call/relay-call.js';
import type { ReplyMemory } from './upstream.client.js';

const MB = 1024 * 1024;
/** Pieces and the whole of a reply are in memory at the same time, and then the whole and what is read from it. */
const COPIES = 2;
/** Of the process, for the replies of one user. */
const USER_SHARE = 0.5;

/** What one reply has in memory. */
export interface ReplyClaim extends ReplyMemory {
  /** At the end of the try; what is on its way to a client counts until it is there. */
  release(): void;
}

/** Memory of whole replies of the process, from their first byte until their clients have them. Nobody waits for room. */
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

  /** `take` throws the refusal 503. */
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
