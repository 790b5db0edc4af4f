/** Bytes of a second: 16 bits at 24 kHz, or one byte at 8 kHz. */
const PCM16 = 48_000;
const G711 = 8_000;

/** Where nobody says how sound is coded it is taken to be the one that makes the fewest tokens of a byte. */
export const bytesPerSecond = (format: string | undefined): number =>
  format !== undefined && /g711|pcmu|pcma/.test(format) ? G711 : PCM16;

/** Tokens of so many seconds that were sent; the reference's figures. */
export const heardTokens = (seconds: number): number => ((seconds / 60) * 100) / 0.06;

/** The same of sound that the model made. */
export const spokenTokens = (seconds: number): number => ((seconds / 60) * 200) / 0.24;

/** Seconds of sound in base64. */
export const secondsOf = (base64: string, format: string | undefined): number =>
  Math.floor((base64.length * 3) / 4) / bytesPerSecond(format);
