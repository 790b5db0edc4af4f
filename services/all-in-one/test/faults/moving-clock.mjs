// Loaded into every process of a cluster under test. Offsets its wall clock by the milliseconds that a file contains
// for its pid. Monotonic time (performance.now, timers) does not change, as when an operator or NTP sets the clock of a
// machine.
import { readFileSync } from 'node:fs';

const LOOK_MS = 100;
const file = process.env['TOLLGATE_TEST_CLOCKS'];
const TrueDate = Date;
let offset = 0;

const look = () => {
  try {
    offset = JSON.parse(readFileSync(file, 'utf8'))[process.pid] ?? 0;
  } catch {
    // The file is incomplete or does not exist.
  }
};

class MovedDate extends TrueDate {
  constructor(...parts) {
    super(...(parts.length === 0 ? [TrueDate.now() + offset] : parts));
  }
  static now() {
    return TrueDate.now() + offset;
  }
}

if (file !== undefined) {
  globalThis.Date = MovedDate;
  setInterval(look, LOOK_MS).unref();
}
