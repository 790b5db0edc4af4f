import { type DynamicModule, Global, Module, type Provider } from '@nestjs/common';
import { OpenapiController } from '../http/openapi.controller.js';
import { HealthController } from './health.controller.js';

/** An injection token and its value. */
export type Binding = readonly [
  token: Exclude<Provider, { provide: unknown }> | string | symbol | (abstract new (...args: never[]) => unknown),
  value: unknown,
];

/** Makes the host's objects injectable in all modules of a service. */
@Global()
@Module({})
export class ChassisModule {
  static with(bindings: readonly Binding[]): DynamicModule {
    const providers = bindings.map(([provide, useValue]) => ({ provide, useValue }) as Provider);
    return {
      module: ChassisModule,
      providers,
      exports: providers,
      controllers: [HealthController, OpenapiController],
    };
  }
}

/** Root module of a service's application. */
@Module({})
export class ServiceRootModule {}
