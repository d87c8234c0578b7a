import 'reflect-metadata';
import { parseArgs } from 'node:util';
import { type DynamicModule, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { readEnvironment } from '../../libs/environment';
import { ShardCount, ShardCountModule } from '../core/lifecycle';
import { type AppConfig, ConfigModule, loadConfig } from '../platform/config';
import { PostgresModule } from '../platform/postgres';
import { RedisModule } from '../platform/redis';
import { schema } from '../schema';

@Module({})
class ShardsModule {
  static forRoot(config: AppConfig): DynamicModule {
    const postgres = PostgresModule.forRoot(schema, { patient: true });
    return {
      module: ShardsModule,
      imports: [ConfigModule.forRoot(config), postgres, RedisModule, ShardCountModule],
    };
  }
}

/** `npm run shards -- --count N`, as the owner of the tables, while no program runs. */
async function changeShards(): Promise<void> {
  const { count = '' } = parseArgs({ options: { count: { type: 'string' } } }).values;
  const env = readEnvironment();
  const config = loadConfig({ ...env, DATABASE_URL: env.MIGRATION_DATABASE_URL || env.DATABASE_URL });
  const { SHARD_COUNT: to } = loadConfig({ ...env, SHARD_COUNT: count || 'none' });
  const app = await NestFactory.createApplicationContext(ShardsModule.forRoot(config), {
    logger: ['error', 'fatal'],
    abortOnError: false,
  });
  try {
    await app.get(ShardCount).change(to);
    console.log(
      `There are ${to} shards from now on: set SHARD_COUNT=${to} for all programs, and start them.`,
    );
  } finally {
    await app.close();
  }
}

changeShards().catch((error: unknown) => {
  console.error(
    `The number of shards was not changed. ${error instanceof Error ? error.message : String(error)}`,
  );
  process.exit(1);
});
