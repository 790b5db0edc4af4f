import { afterEach, describe, expect, it } from '@jest/globals';
import { type LogRecord, trace } from '@opentelemetry/api';
import { inRequest } from '../context/request-scope.js';
import { exportLine, exportLogs } from './log-export.js';
import { Logger } from './logger.js';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';

afterEach(() => exportLogs(undefined));

describe('log lines for a collector', () => {
  it('carry text, severity, the id of the request and its trace, and no secret', async () => {
    const records: LogRecord[] = [];
    exportLogs((record) => records.push(record));
    const log = Logger.root('info', { write: exportLine }).child({ service: 'relay' });
    const scope = { id: 'request-1', headers: { traceparent: `00-${TRACE}-${SPAN}-01` } };
    await inRequest(scope, () => Promise.resolve(log.warn('it broke', { channel: 7, key: 'sk-1', more: { a: [1] } })));
    log.debug('not worth it');
    expect(records).toHaveLength(1);
    const [record] = records;
    expect(record).toMatchObject({
      body: 'it broke',
      severityNumber: 13,
      severityText: 'WARN',
      attributes: {
        'tollgate.service': 'relay',
        'tollgate.request_id': 'request-1',
        channel: 7,
        key: '***',
        more: '{"a":[1]}',
      },
    });
    expect(record?.context && trace.getSpanContext(record.context)).toMatchObject({ traceId: TRACE, spanId: SPAN });
  });

  it('are not exported while no collector is configured', () => {
    expect(() => exportLine('no JSON at all')).not.toThrow();
  });
});
