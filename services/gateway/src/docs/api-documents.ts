import { Injectable } from '@nestjs/common';
import { allEvents, type ApiFragment, asyncApiDocument, getOpenapi, type ServiceName } from '@tollgate/contracts';
import { Clock, InternalClient, loadOpenApi, Logger, type OpenApiDocument, productVersion } from '@tollgate/chassis';

const services: readonly ServiceName[] = ['identity', 'billing', 'channel', 'logging', 'relay', 'gateway'];
/** A service's part of the document changes only with a new version of the service. */
const KEEP_MS = 60_000;
/** How long an incomplete document is kept when a service did not answer. */
const RETRY_MS = 5_000;

/** API documents of the whole platform, combined from the parts of all services. */
@Injectable()
export class ApiDocuments {
  private collected: Promise<OpenApiDocument> | undefined;
  private until = 0;
  private described: ReturnType<typeof asyncApiDocument> | undefined;

  constructor(
    private readonly internal: InternalClient,
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {}

  get asyncapi(): ReturnType<typeof asyncApiDocument> {
    return (this.described ??= asyncApiDocument(allEvents, productVersion));
  }

  /** Collected once for all concurrent readers. */
  openapi(): Promise<OpenApiDocument> {
    if (this.collected && this.clock.monotonic() < this.until) return this.collected;
    this.until = this.clock.monotonic() + KEEP_MS;
    return (this.collected = this.collect().catch((error: unknown) => {
      this.collected = undefined;
      throw error;
    }));
  }

  private async collect(): Promise<OpenApiDocument> {
    const fragments = await Promise.all(services.map(async (name) => [name, await this.fragmentOf(name)] as const));
    const { mergeFragments } = await loadOpenApi();
    return mergeFragments(fragments, productVersion);
  }

  /** A service that does not answer is described by the route table alone, so that none of its calls is missing. */
  private async fragmentOf(name: ServiceName): Promise<ApiFragment> {
    try {
      return await this.internal.call(getOpenapi(name), {});
    } catch (error) {
      this.logger.warn(`${name} does not describe its calls; the document has less of them`, { error });
      this.until = Math.min(this.until, this.clock.monotonic() + RETRY_MS);
      const { describeService } = await loadOpenApi();
      return describeService(name);
    }
  }
}
