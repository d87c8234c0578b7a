import { Module } from '@nestjs/common';
import { ActivityModule } from '../activity';
import { ApprovalModule } from '../approval';
import { AuditModule } from '../audit';
import { DispenserModule, RedisMemory } from '../dispenser';
import { GrabModule } from '../grab';
import { NotificationModule } from '../notification';
import { WalletModule } from '../wallet';
import { ActivityNews } from './activity-news';
import { ActivityTopUp } from './add/activity-top-up';
import { PacketAdditions } from './add/packet-additions';
import { TopUpController } from './add/top-up.controller';
import { TopUpRepository } from './add/top-up.repository';
import { TopUpService } from './add/top-up.service';
import { ActivityClosing } from './close/activity-closing';
import { CloseController } from './close/close.controller';
import { CloseService } from './close/close.service';
import { ClosingRepository } from './close/closing.repository';
import { ActivityCreation } from './create/activity-creation';
import { DueClosing } from './close/due-closing';
import { GrabRefusal } from './close/grab-refusal';
import { CreateController } from './create/create.controller';
import { CreateService } from './create/create.service';
import { CreationRepository } from './create/creation.repository';
import { PartitionSweep } from './create/partition-sweep';
import { LargeWrites } from './large-writes';
import { ActivityLoader } from './load/activity-loader';
import { ActivityRestoring } from './load/activity-restoring';
import { ActivityReminder } from './load/activity-reminder';
import { LoadingRepository } from './load/loading.repository';
import { LoadsOnDemand } from './load/loads-on-demand';
import { RedisInventory } from './load/redis-inventory';
import { RedisReminder } from './load/redis-reminder';
import { ShardCount } from './reshard/shard-count';
import { ActivityRepairs } from './mend/activity-repairs';
import { ActivitySweep } from './mend/activity-sweep';
import { PreviewController } from './preview/preview.controller';
import { SplitPreviews } from './preview/split-previews';
import { ActivityTidying } from './tidy/activity-tidying';
import { EndedSweep } from './tidy/ended-sweep';
import { TidyingRepository } from './tidy/tidying.repository';
import { ClaimVoiding } from './void/claim-voiding';
import { VoidController } from './void/void.controller';
import { TemplateController } from './template/template.controller';
import { Templates } from './template/templates';
import { VoidService } from './void/void.service';

/** From Postgres into Redis, and to the end. */
@Module({
  imports: [ActivityModule, DispenserModule, GrabModule, NotificationModule, WalletModule],
  providers: [
    ActivityClosing,
    ActivityLoader,
    ActivityNews,
    ActivityRestoring,
    ActivityTidying,
    ClosingRepository,
    GrabRefusal,
    LoadingRepository,
    TidyingRepository,
  ],
  exports: [
    ActivityClosing,
    ActivityLoader,
    ActivityNews,
    ActivityRestoring,
    ActivityTidying,
    ClosingRepository,
    LoadingRepository,
    TidyingRepository,
  ],
})
export class LifecycleModule {}

/** What clients may ask. */
@Module({
  imports: [
    ActivityModule,
    ApprovalModule,
    AuditModule,
    DispenserModule,
    GrabModule,
    LifecycleModule,
    WalletModule,
  ],
  controllers: [
    CreateController,
    CloseController,
    PreviewController,
    TemplateController,
    TopUpController,
    VoidController,
  ],
  providers: [
    ActivityCreation,
    ActivityTopUp,
    ClaimVoiding,
    CloseService,
    CreateService,
    CreationRepository,
    LargeWrites,
    LoadsOnDemand,
    PacketAdditions,
    SplitPreviews,
    Templates,
    TopUpRepository,
    TopUpService,
    VoidService,
  ],
  exports: [VoidService],
})
export class LifecycleApiModule {}

/** What is done while no program runs. */
@Module({ imports: [DispenserModule], providers: [ShardCount], exports: [ShardCount] })
export class ShardCountModule {}

/** What is done in the background. */
@Module({
  imports: [ActivityModule, DispenserModule, GrabModule, LifecycleModule],
  providers: [
    ActivityRepairs,
    ActivitySweep,
    ActivityReminder,
    CreationRepository,
    DueClosing,
    EndedSweep,
    PartitionSweep,
    RedisInventory,
    RedisMemory,
    RedisReminder,
  ],
})
export class LifecycleWorkerModule {}
