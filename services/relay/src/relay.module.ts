import { Module } from '@nestjs/common';
import { UpstreamTokens } from '@tollgate/chassis';
import { Budget } from './budget/budget.js';
import { BodyIntake } from './http/body-intake.js';
import { Gatekeeper } from './access/gatekeeper.js';
import { HotRoutes } from './http/hot-routes.js';
import { Entry } from './http/entry.js';
import { ModelCalls } from './http/model-calls.js';
import { Idempotency } from './idempotency/idempotency.js';
import { IdempotencyStore } from './idempotency/idempotency-store.js';
import { Abandonment } from './settlement/abandonment.js';
import { Admission } from './admission/admission.js';
import { Attempts } from './pipeline/attempts.js';
import { MalformedEvents } from './reply/malformed-events.js';
import { OpeningPings } from './reply/opening-pings.js';
import { Preparation } from './pipeline/preparation.js';
import { RelayService } from './pipeline/relay.service.js';
import { ReplyRoom } from './upstream/reply-room.js';
import { Settlement } from './settlement/settlement.js';
import { Steps } from './upstream/steps.js';
import { SocketUpstream } from './upstream/socket-upstream.js';
import { StreamedReply } from './reply/streamed-reply.js';
import { UpstreamClient } from './upstream/upstream.client.js';
import { WholeReply } from './reply/whole-reply.js';
import { Dialer } from './realtime/dialer.js';
import { RealtimeSessions } from './realtime/realtime-sessions.js';
import { RealtimeCalls } from './http/realtime-calls.js';
import { TaskAddresses } from './http/task-addresses.js';
import { TaskCalls } from './http/task-calls.js';
import { TaskQueries } from './http/task-queries.js';
import { Submissions } from './task/submissions.js';
import { TasksClient } from './task/tasks.client.js';
import { ModelRateLimit } from './policy/model-rate-limit.js';
import { PriceStore } from './read-model/price-store.js';
import { TokenDirectory } from './read-model/token-directory.js';
import { UserDirectory } from './read-model/user-directory.js';
import { ChannelBreakers } from './routing/channel-breakers.js';
import { KeyChoice } from './routing/key-choice.js';
import { Retries } from './retry/retries.js';
import { AffinityRecord } from './routing/affinity-record.js';
import { RefusedCalls } from './refused/refused-calls.js';
import { RouteTable } from './routing/route-table.js';
import { Spool } from './spool/spool.js';
import { DeadLetters } from './spool/dead-letters.js';
import { SpoolPump } from './spool/spool-pump.js';
import { PromptCounts } from './http/prompt-counts.js';
import { WordChecks } from './policy/word-checks.js';
import { TokenCounter } from './usage/token-counter.js';
import { RemotePictures } from './upstream/remote-pictures.js';
import { UsageCounter } from './settlement/usage-counter.js';

@Module({
  providers: [
    TokenDirectory,
    UserDirectory,
    PriceStore,
    RouteTable,
    Spool,
    DeadLetters,
    SpoolPump,
    Budget,
    TokenCounter,
    UsageCounter,
    UpstreamTokens,
    UpstreamClient,
    SocketUpstream,
    RemotePictures,
    BodyIntake,
    Gatekeeper,
    ModelRateLimit,
    Entry,
    WordChecks,
    Admission,
    Settlement,
    Abandonment,
    OpeningPings,
    MalformedEvents,
    ReplyRoom,
    Steps,
    WholeReply,
    StreamedReply,
    Preparation,
    Attempts,
    AffinityRecord,
    ChannelBreakers,
    KeyChoice,
    Retries,
    RefusedCalls,
    RelayService,
    PromptCounts,
    IdempotencyStore,
    Idempotency,
    ModelCalls,
    Dialer,
    RealtimeSessions,
    RealtimeCalls,
    TasksClient,
    Submissions,
    TaskAddresses,
    TaskCalls,
    TaskQueries,
    HotRoutes,
  ],
})
export class RelayModule {}
