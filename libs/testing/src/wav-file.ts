const HEAD = 44;
const SAMPLES_PER_SECOND = 8000;

/** A mono WAV file with 8 bits per sample at 8 kHz, so 8 000 bytes are a second. */
export function wavFile(samples: Buffer): Buffer {
  const head = Buffer.alloc(HEAD);
  head.write('RIFF', 0);
  head.writeUInt32LE(HEAD - 8 + samples.length, 4);
  head.write('WAVEfmt ', 8);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(SAMPLES_PER_SECOND, 24);
  head.writeUInt32LE(SAMPLES_PER_SECOND, 28);
  head.writeUInt16LE(1, 32);
  head.writeUInt16LE(8, 34);
  head.write('data', 36);
  head.writeUInt32LE(samples.length, 40);
  return Buffer.concat([head, samples]);
}
