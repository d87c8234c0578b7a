export { ActivityCreation } from './create/activity-creation';
export type { CompletedBody } from './create/completed-body';
export { type CreateActivityBody, RainBody } from './create/create.dto';
export { RANDOM_RAIN } from './create/create-examples';
export { LoadedCreation } from './create/loaded-creation';
export { lifecycleDeeds } from './deeds';
export { DrawSeeds, type SeedKeeper } from './create/draw-seeds';
export { defineSeeds, describeSeeds } from './create/seed-definition';
export {
  DrawSeedsModule,
  LifecycleApiModule,
  LifecycleWorkerModule,
  ShardCountModule,
} from './lifecycle.module';
export { ShardCount } from './reshard/shard-count';
export { type AnySplitBody, splitSchemas } from './split.dto';
export {
  type AddedPackets,
  type Bounds,
  type PlainTotal,
  SponsorBounds,
  SponsorBoundsModule,
} from './sponsor-bounds';
