import { type Context, ROOT_CONTEXT, trace } from '@opentelemetry/api';
import type { LogRecord } from '@opentelemetry/api';
import { currentTraceparent } from '../context/request-scope.js';
import { remoteSpanOf } from '../context/trace-context.js';

/** Severity numbers of OpenTelemetry's log data model. */
const SEVERITIES: Readonly<Record<string, number>> = { trace: 1, debug: 5, info: 9, warn: 13, error: 17, fatal: 21 };
/** Spans have these attributes under other names; use the same for log records. */
const NAMES: Readonly<Record<string, string>> = { requestId: 'tollgate.request_id', service: 'tollgate.service' };

type Emit = (record: LogRecord) => void;

let emit: Emit | undefined;

/** From now on every log line is passed to `to` as well; `undefined` ends that. */
export function exportLogs(to: Emit | undefined): void {
  emit = to;
}

/** Exports a line as written, with secrets already blanked, in the trace context of its writer. */
export function exportLine(line: string): void {
  if (emit) emit(recordOf(line, contextNow()));
}

function contextNow(): Context {
  const traceparent = currentTraceparent();
  return traceparent === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, remoteSpanOf(traceparent));
}

/** A log line as an OpenTelemetry record; values that are not primitives become JSON text. */
function recordOf(line: string, context: Context): LogRecord {
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
