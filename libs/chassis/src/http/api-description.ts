import type { Type } from '@nestjs/common';
import type { ApiFragment, ServiceName } from '@tollgate/contracts';

/** Loads the generator of OpenAPI documents. It imports the schemas of all calls, so it is loaded only when a document is requested. */
export async function loadOpenApi() {
  const [{ describeService }, { mergeFragments }] = await Promise.all([
    import('./openapi-fragment.js'),
    import('./openapi-document.js'),
  ]);
  return { describeService, mergeFragments };
}

/** The OpenAPI fragment of a service, generated on first use. */
export class ApiDescription {
  private described: Promise<ApiFragment> | undefined;

  constructor(private readonly definition: { name: ServiceName; module: Type }) {}

  get fragment(): Promise<ApiFragment> {
    return (this.described ??= this.describe());
  }

  private async describe(): Promise<ApiFragment> {
    const { describeService } = await loadOpenApi();
    return describeService(this.definition.name, this.definition.module);
  }
}
