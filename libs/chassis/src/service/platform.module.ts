import { type DynamicModule, Global, Module, type Provider } from '@nestjs/common';
import { OpenapiController } from '../http/openapi.controller.js';
import { HealthController } from './health.controller.js';

/** A value by the class it is asked for. */
export type Binding = readonly [
  token: Exclude<Provider, { provide: unknown }> | string | symbol | (abstract new (...args: never[]) => unknown),
  value: unknown,
];

/** Makes the platform's objects injectable everywhere in one service. */
@Global()
@Module({})
export class PlatformModule {
  static with(bindings: readonly Binding[]): DynamicModule {
    const providers = bindings.map(([provide, useValue]) => ({ provide, useValue }) as Provider);
    return {
      module: PlatformModule,
      providers,
      exports: providers,
      controllers: [HealthController, OpenapiController],
    };
  }
}

/** The root of one service's application. */
@Module({})
export class ServiceRootModule {}
