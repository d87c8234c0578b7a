import { type DynamicModule, Global, Module } from '@nestjs/common';
import { AppConfig } from './app-config';
import { Currency } from './currency';

/** Makes one checked `AppConfig`, and the currency that it names, injectable everywhere. */
@Global()
@Module({})
export class ConfigModule {
  static forRoot(config: AppConfig): DynamicModule {
    return {
      module: ConfigModule,
      providers: [{ provide: AppConfig, useValue: config }, Currency],
      exports: [AppConfig, Currency],
    };
  }
}
