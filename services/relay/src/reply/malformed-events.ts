import { Injectable } from '@nestjs/common';
import { Logger, Metrics } from '@tollgate/chassis';
import type { ReplyStream } from '@tollgate/providers';
import type { Try } from '../upstream/try.js';

/** Reports events of streams that could not be read: the client gets the answer without them. */
@Injectable()
export class MalformedEvents {
  private readonly events: { inc(labels: { channel: string }, value: number): void };

  constructor(
    private readonly logger: Logger,
    metrics: Metrics,
  ) {
    this.events = metrics.counter(
      'tollgate_relay_malformed_events_total',
      'Events of streams that were skipped because the upstream sent no valid JSON.',
      ['channel'],
    );
  }

  /** Called once for each stream, after its end. */
  report({ channel, call }: Pick<Try, 'channel' | 'call'>, { malformedEvents }: ReplyStream): void {
    if (malformedEvents === 0) return;
    this.events.inc({ channel: String(channel.id) }, malformedEvents);
    this.logger.warn('an upstream sent events that are no valid JSON; the client got the stream without them', {
      channelId: channel.id,
      requestId: call.requestId,
      malformedEvents,
    });
  }
}
