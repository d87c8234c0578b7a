export { LifecycleApiModule, LifecycleWorkerModule, ShardCountModule } from './lifecycle.module';
export { ShardCount } from './reshard/shard-count';
export { VoidService } from './void/void.service';
