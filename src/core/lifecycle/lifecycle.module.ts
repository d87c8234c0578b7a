import { Module } from '@nestjs/common';
import { ActivityModule } from '../activity';
import { AuditModule } from '../audit';
import { DispenserModule } from '../dispenser';
import { GrabModule } from '../grab';
import { OutletModule } from '../outlet';
import { RecoveryModule } from '../recovery';
import { SecondPersonModule } from '../second-person';
import { WalletModule } from '../wallet';
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
import { DrawSeeds } from './create/draw-seeds';
import { LoadedCreation } from './create/loaded-creation';
import { PartitionSweep } from './create/partition-sweep';
import { DailyDeeds } from './daily-deeds';
import { ExtendController } from './extend/extend.controller';
import { ExtendRepository } from './extend/extend.repository';
import { ExtendService } from './extend/extend.service';
import { LargeWrites } from './large-writes';
import { LookController } from './look/look.controller';
import { LookRepository } from './look/look.repository';
import { LookService } from './look/look.service';
import { PacketBatches } from './packet-batches';
import { SponsorBoundsModule } from './sponsor-bounds';
import { ShardCount } from './reshard/shard-count';
import { PreviewController } from './preview/preview.controller';
import { SplitPreviews } from './preview/split-previews';
import { ClaimVoiding } from './void/claim-voiding';
import { VoidController } from './void/void.controller';
import { TemplateController } from './template/template.controller';
import { Templates } from './template/templates';
import { VoidService } from './void/void.service';

/** The end of an activity. */
@Module({
  imports: [ActivityModule, DispenserModule, GrabModule, RecoveryModule, WalletModule],
  providers: [ActivityClosing, ClosingRepository, GrabRefusal],
  exports: [ActivityClosing, ClosingRepository],
})
class LifecycleModule {}

/** The source of seeds. */
@Module({ providers: [DrawSeeds], exports: [DrawSeeds] })
export class DrawSeedsModule {}

@Module({
  imports: [
    ActivityModule,
    AuditModule,
    DispenserModule,
    DrawSeedsModule,
    GrabModule,
    LifecycleModule,
    OutletModule,
    RecoveryModule,
    SecondPersonModule,
    SponsorBoundsModule,
    WalletModule,
  ],
  controllers: [
    CreateController,
    CloseController,
    ExtendController,
    LookController,
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
    DailyDeeds,
    ExtendRepository,
    ExtendService,
    LargeWrites,
    LoadedCreation,
    LookRepository,
    LookService,
    PacketAdditions,
    PacketBatches,
    SplitPreviews,
    Templates,
    TopUpRepository,
    TopUpService,
    VoidService,
  ],
  exports: [ActivityCreation, LoadedCreation],
})
export class LifecycleApiModule {}

/** Work that is done while no program runs. */
@Module({ imports: [DispenserModule], providers: [ShardCount], exports: [ShardCount] })
export class ShardCountModule {}

@Module({
  imports: [ActivityModule, DispenserModule, GrabModule, LifecycleModule],
  providers: [CreationRepository, DueClosing, PartitionSweep],
})
export class LifecycleWorkerModule {}
