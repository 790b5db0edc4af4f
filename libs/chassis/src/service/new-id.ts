import { randomFillSync } from 'node:crypto';
import { v7 } from 'uuid';

const ID_BYTES = 16;
/** A pool of random bytes: fetching them from the system for each id would cost more than the rest of creating it. */
const pool = new Uint8Array(ID_BYTES * 256);
let used = pool.length;
let lastMs = 0;
let sequence = 0;

function random(): Uint8Array {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  used += ID_BYTES;
  return pool.subarray(used - ID_BYTES, used);
}

/** A UUIDv7. Ids of one process are strictly increasing, also within a millisecond and when the clock is set back. */
export function newId(): string {
  const bytes = random();
  const now = Date.now();
  if (now > lastMs) {
    lastMs = now;
    // The top bit starts as zero, so that the sequence cannot overflow within a millisecond.
    sequence = new DataView(bytes.buffer, bytes.byteOffset).getUint32(6) >>> 1;
  } else sequence += 1;
  return v7({ random: bytes, msecs: lastMs, seq: sequence });
}
