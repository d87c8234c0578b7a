export { TopUpService } from './add/top-up.service';
export { CreationDeed } from './create/creation-deed';
export { LifecycleApiModule, LifecycleWorkerModule, ShardCountModule } from './lifecycle.module';
export { ShardCount } from './reshard/shard-count';
export { splitSchemas } from './split.dto';
export { VoidService } from './void/void.service';
