/** Bytes per second: 16 bits at 24 kHz, or one byte at 8 kHz. */
const PCM16 = 48_000;
const G711 = 8_000;

/** An unknown encoding is assumed to be PCM16, which gives the fewest tokens per byte. */
const bytesPerSecond = (format: string | undefined): number =>
  format !== undefined && /g711|pcmu|pcma/.test(format) ? G711 : PCM16;

/** Tokens of received seconds of audio, by OpenAI's figures. */
export const heardTokens = (seconds: number): number => ((seconds / 60) * 100) / 0.06;

/** Tokens of generated seconds of audio. */
export const spokenTokens = (seconds: number): number => ((seconds / 60) * 200) / 0.24;

/** Duration in seconds of base64 audio. */
export const secondsOf = (base64: string, format: string | undefined): number =>
  Math.floor((base64.length * 3) / 4) / bytesPerSecond(format);
