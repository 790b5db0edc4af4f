import type { Server } from 'node:http';
import { Injectable } from '@nestjs/common';
import { type OwnedRouteRow, routes } from '@tollgate/contracts';
import {
  asksForWebSocket,
  Host,
  isSecure,
  Logger,
  Metrics,
  putUpgradeDoor,
  RawRequests,
  REQUEST_ID,
  type Upgrade,
  type UpgradeDoor,
  upgradeDoorOf,
} from '@tollgate/chassis';
import { demandTls } from '../browser/private-replies.js';
import { INTERNAL_HEADERS } from './pass-headers.js';
import { ProxiedUpgrade } from './proxied-upgrade.js';
import { refuse, ReverseProxy } from './reverse-proxy.js';

const ROW: OwnedRouteRow = routes.openRealtime;
const PATHS: ReadonlySet<string> = new Set([ROW.path, `${ROW.path}/`]);

/**
 * Passes WebSocket upgrades, which only the relay has to check, to the relay: directly if it runs in this process,
 * otherwise over a separate connection.
 */
@Injectable()
export class UpgradeFront {
  private readonly requests: RawRequests;

  constructor(
    private readonly host: Host,
    private readonly proxy: ReverseProxy,
    private readonly logger: Logger,
    metrics: Metrics,
  ) {
    this.requests = new RawRequests({ host, logger, metrics });
  }

  open(server: Server): void {
    putUpgradeDoor(server, {
      takes: (raw) => asksForWebSocket(raw) && PATHS.has(raw.url?.replace(/\?.*$/s, '') ?? '') && this.isThere,
      open: (upgrade) => this.serve(upgrade),
    });
  }

  private get isThere(): boolean {
    return this.relay !== undefined || this.proxy.reaches(ROW.owner);
  }

  private get relay(): UpgradeDoor | undefined {
    const instance = this.host.instances.get(ROW.owner);
    return instance && upgradeDoorOf(instance.server);
  }

  private serve(upgrade: Upgrade): void {
    const { response } = upgrade;
    const request: Upgrade['request'] & { [REQUEST_ID]?: string } = upgrade.request;
    this.requests.serve({ raw: request, response, row: ROW }, ({ id, address }) => {
      for (const header of INTERNAL_HEADERS) delete request.headers[header];
      if (isSecure({ protocol: this.requests.protocolOf(request) }, this.host.env)) demandTls(response);
      response.setHeader('access-control-allow-origin', '*');
      request[REQUEST_ID] = id;
      const { relay } = this;
      if (relay) relay.open(upgrade);
      else this.pass(upgrade, { id, address });
    });
  }

  private pass(upgrade: Upgrade, { id, address }: { id: string; address: string }): void {
    const { directory } = this.host;
    const { request, response } = upgrade;
    const protocol = this.requests.protocolOf(request) === 'https' ? ('https' as const) : ('http' as const);
    const facts = { requestId: id, address, protocol, host: request.headers.host ?? '', local: false };
    new ProxiedUpgrade({
      upgrade,
      headers: this.proxy.headersOf(request.headers, facts),
      replicas: directory.inTurn(ROW.owner),
      onUnreachable: (replica, error) => {
        this.proxy.countFailure(ROW.owner, 'unreachable');
        directory.eject(replica, error);
      },
      onFailure: (error) => {
        this.proxy.countFailure(ROW.owner, 'failed');
        this.logger.warn(`${ROW.owner} did not answer an upgrade`, { error, requestId: id });
        refuse(ROW.owner, request, response, id);
      },
    }).begin();
  }
}
