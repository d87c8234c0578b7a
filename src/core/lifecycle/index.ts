export { lifecycleDeeds } from './deeds';
export { LifecycleApiModule, LifecycleWorkerModule, ShardCountModule } from './lifecycle.module';
export { ShardCount } from './reshard/shard-count';
export { type AnySplitBody, splitSchemas } from './split.dto';
export {
  type AddedPackets,
  type Bounds,
  type PlainTotal,
  SponsorBounds,
  SponsorBoundsModule,
} from './sponsor-bounds';
