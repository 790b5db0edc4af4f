import type { LoggerService } from '@nestjs/common';
import { type DestinationStream, pino, type Logger as PinoLogger, type SerializedError } from 'pino';
import { currentRequestId, currentTraceparent } from '../context/request-scope.js';
import { traceIdOf } from '../context/trace-context.js';
import { exportLine } from './log-export.js';
import { inSources } from './source-positions.js';

const REDACTED = [
  'key',
  'password',
  'secret',
  'token',
  'authorization',
  'cookie',
  'accessToken',
  'headers.authorization',
  'headers.cookie',
  'headers["x-api-key"]',
];

/** Structured log of one service: JSON lines on standard output, with service name and request id. Secrets are blanked by key name. */
export class Logger implements LoggerService {
  constructor(private readonly sink: PinoLogger) {}

  static root(level: string, destination?: DestinationStream): Logger {
    return new Logger(
      pino(
        {
          level,
          mixin: () => {
            const requestId = currentRequestId();
            const traceparent = currentTraceparent();
            return {
              ...(requestId !== undefined && { requestId }),
              ...(traceparent !== undefined && { traceId: traceIdOf(traceparent) }),
            };
          },
          base: undefined,
          timestamp: pino.stdTimeFunctions.isoTime,
          serializers: { err: serializeError },
          formatters: { level: (label) => ({ level: label }) },
          redact: {
            paths: REDACTED.flatMap((path) => (path.startsWith('headers') ? [path] : [path, `*.${path}`])),
            censor: '***',
          },
        },
        destination ?? standardOutput(),
      ),
    );
  }

  child(bindings: Record<string, unknown>): Logger {
    return new Logger(this.sink.child(bindings));
  }

  info(message: string, details: Record<string, unknown> = {}): void {
    this.sink.info(details, message);
  }

  warn(message: unknown, details: unknown = {}): void {
    this.write('warn', message, details);
  }

  /** Logs `details.error` with its stack and cause. */
  error(message: unknown, details: unknown = {}): void {
    this.write('error', message, details);
  }

  debug(message: unknown, details: unknown = {}): void {
    this.write('debug', message, details);
  }

  /** Called by Nest for its own messages; `context` is the name of a class. */
  log(message: unknown, context?: unknown): void {
    this.write('debug', message, context);
  }

  verbose(message: unknown, context?: unknown): void {
    this.write('debug', message, context);
  }

  private write(level: 'debug' | 'warn' | 'error', message: unknown, details: unknown): void {
    if (message instanceof Error) this.sink[level]({ err: message }, message.message);
    else this.sink[level](bindingsOf(details), String(message));
  }
}

/**
 * An error for a line of the log, with places in the sources in its stack and in those of the errors it collects, and
 * without the objects that some libraries attach to it, such as the client of a database with all its settings.
 */
function serializeError(error: unknown): unknown {
  try {
    const serialized: unknown = pino.stdSerializers.err(error as Error);
    tidy(serialized, error);
    return serialized;
  } catch {
    // A frozen error, or a member that throws when it is read: a call that logs must not throw.
    return { type: 'Error', message: textOf(error) };
  }
}

/** @param serialized what is no error comes back as it was, and belongs to the caller */
function tidy(serialized: unknown, error: unknown): void {
  if (serialized === error || typeof serialized !== 'object' || serialized === null) return;
  const written = serialized as Partial<SerializedError>;
  const { errors, ...members } = error as Partial<AggregateError>;
  for (const [name, member] of Object.entries(members)) if (isInstance(member)) Reflect.deleteProperty(written, name);
  if (typeof written.stack === 'string') written.stack = inSources(written.stack);
  if (!Array.isArray(errors)) return;
  for (const [index, one] of written.aggregateErrors?.entries() ?? []) tidy(one, errors[index]);
}

/** Whether it is an object of a class, other than an error and what has a text of its own in JSON. */
function isInstance(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || value instanceof Error) return false;
  if (typeof (value as { toJSON?: unknown }).toJSON === 'function') return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype !== null && prototype !== Object.prototype;
}

function textOf(error: unknown): string {
  try {
    return String(error);
  } catch {
    return 'an error that cannot be read';
  }
}

/** Writes lines to standard output and, if one is configured, to a collector. */
function standardOutput(): DestinationStream {
  const output = pino.destination(1);
  return {
    write(line) {
      output.write(line);
      exportLine(line);
    },
  };
}

function bindingsOf(details: unknown): Record<string, unknown> {
  if (details instanceof Error) return { err: details };
  if (typeof details !== 'object' || details === null) return { context: details };
  const { error, ...rest } = details as Record<string, unknown>;
  return error === undefined ? rest : { ...rest, err: error };
}
