import type { Type } from '@nestjs/common';
import type { ApiFragment, ServiceName } from '@tollgate/contracts';

/** What writes OpenAPI documents. It knows the schema of every call there is, so it is loaded where somebody asks for such a document. */
export async function loadOpenApi() {
  const [{ describeService }, { mergeFragments }] = await Promise.all([
    import('./openapi-fragment.js'),
    import('./openapi-document.js'),
  ]);
  return { describeService, mergeFragments };
}

/** What a service says of its calls, worked out when it is first asked for. */
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
