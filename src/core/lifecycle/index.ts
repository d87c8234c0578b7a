export { lifecycleDeeds } from './deeds';
export { LifecycleApiModule, LifecycleWorkerModule, ShardCountModule } from './lifecycle.module';
export { ShardCount } from './reshard/shard-count';
export { splitSchemas } from './split.dto';
