import { type Context, ROOT_CONTEXT, trace } from '@opentelemetry/api';
import type { LogRecord } from '@opentelemetry/api';
import { currentTraceparent } from '../context/request-scope.js';
import { remoteSpanOf } from '../context/trace-context.js';

/** Numbers of OpenTelemetry's log data model. */
const SEVERITIES: Readonly<Record<string, number>> = { trace: 1, debug: 5, info: 9, warn: 13, error: 17, fatal: 21 };
/** `requestId` goes by the name that spans have for it. */
const NAMES: Readonly<Record<string, string>> = { requestId: 'tollgate.request_id', service: 'tollgate.service' };

type Emit = (record: LogRecord) => void;

let emit: Emit | undefined;

/** From here on every line also goes there; undefined ends it. */
export function exportLogs(to: Emit | undefined): void {
  emit = to;
}

/** Takes a line just as it was written, secrets blanked, within the context of whoever wrote it. */
export function exportLine(line: string): void {
  if (emit) emit(recordOf(line, contextNow()));
}

function contextNow(): Context {
  const traceparent = currentTraceparent();
  return traceparent === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, remoteSpanOf(traceparent));
}

/** A line of the log as OpenTelemetry has it: what is not a plain value becomes JSON text. */
export function recordOf(line: string, context: Context): LogRecord {
  const { level, time, msg, traceId: _inContext, ...rest } = JSON.parse(line) as Record<string, unknown>;
  const attributes = Object.entries(rest).map(([name, value]) => [NAMES[name] ?? name, plain(value)]);
  return {
    timestamp: new Date(String(time)),
    severityNumber: SEVERITIES[String(level)] ?? 0,
    severityText: String(level).toUpperCase(),
    body: String(msg ?? ''),
    attributes: Object.fromEntries(attributes) as Record<string, string | number | boolean>,
    context,
  };
}

const plain = (value: unknown): string | number | boolean =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : JSON.stringify(value);
