import { Module } from '@nestjs/common';
import { ConsoleFiles } from './console/console-files.js';
import { DocsModule } from './docs/docs.module.js';
import { RateLimiter } from './limit/rate-limiter.js';
import { LiveFeed } from './live/live-feed.js';
import { LiveStreams } from './live/live-streams.js';
import { HandOver } from './proxy/hand-over.js';
import { ReverseProxy } from './proxy/reverse-proxy.js';
import { Edge } from './proxy/edge.js';
import { ModelFront } from './proxy/model-front.js';
import { UpgradeFront } from './proxy/upgrade-front.js';
import { OwnOrigin } from './browser/own-origin.js';
import { Authenticator } from './session/authenticator.js';

@Module({
  imports: [DocsModule],
  providers: [
    Authenticator,
    RateLimiter,
    OwnOrigin,
    ReverseProxy,
    HandOver,
    ConsoleFiles,
    LiveFeed,
    LiveStreams,
    ModelFront,
    UpgradeFront,
    Edge,
  ],
})
export class GatewayModule {}
