import { Module } from '@nestjs/common';
import { ConsoleFiles } from './console/console-files.js';
import { RateLimiter } from './limit/rate-limiter.js';
import { HandOver } from './proxy/hand-over.js';
import { Edge } from './proxy/edge.js';
import { Authenticator } from './session/authenticator.js';

@Module({ providers: [Authenticator, RateLimiter, HandOver, ConsoleFiles, Edge] })
export class GatewayModule {}
