import { Module, type OnApplicationBootstrap } from '@nestjs/common';
import { ActivityModule } from '../activity';
import { ClockSkew, DispenserModule, RedisTrustModule } from '../dispenser';
import { NewsModule } from '../news';
import { OutletModule } from '../outlet';
import { WalletModule } from '../wallet';
import { AssignmentNews } from './assignment-news';
import { BestLuckController } from './best-luck.controller';
import { BestLuckRepository } from './best-luck.repository';
import { BestLuckService } from './best-luck.service';
import { ClaimLookup } from './claim-lookup';
import { ClaimRepository } from './claim.repository';
import { ConfirmService } from './confirm.service';
import { DrawService } from './draw.service';
import { GrabController } from './grab.controller';
import { GrabService } from './grab.service';
import { Journal } from './journal';
import { JournalBacklog } from './journal-backlog';
import { JournalSweep } from './journal-sweep';
import { LimitedGrabs } from './limited-grabs';
import { MissingActivities } from './missing-activities';
import { HomeNotes } from './parts/home-notes';
import { PartDrawsModule } from './parts/part-draws.module';
import { QuarantineController } from './quarantine.controller';
import { QuarantineService } from './quarantine.service';
import { TapAdmissionModule } from './tap/tap-admission.module';
import { TapCounts } from './tap-counts';
import { TapService } from './tap.service';
import { WonPacketRepository } from './won-packet.repository';
import { WonPacketsController } from './won-packets.controller';
import { WonPacketsService } from './won-packets.service';

/** The way from a reservation to a claim. */
@Module({
  imports: [ActivityModule, DispenserModule, NewsModule, OutletModule, WalletModule],
  providers: [
    AssignmentNews,
    HomeNotes,
    ClaimRepository,
    ConfirmService,
    Journal,
    MissingActivities,
    WonPacketRepository,
  ],
  exports: [ClaimRepository, ConfirmService, Journal, MissingActivities, WonPacketRepository],
})
export class GrabModule {}

@Module({
  imports: [
    ActivityModule,
    DispenserModule,
    GrabModule,
    PartDrawsModule,
    RedisTrustModule,
    TapAdmissionModule,
  ],
  controllers: [BestLuckController, GrabController, QuarantineController, WonPacketsController],
  providers: [
    BestLuckRepository,
    BestLuckService,
    ClaimLookup,
    ClockSkew,
    DrawService,
    GrabService,
    JournalBacklog,
    LimitedGrabs,
    QuarantineService,
    TapCounts,
    TapService,
    WonPacketsService,
  ],
  exports: [ClockSkew, TapService],
})
export class GrabApiModule implements OnApplicationBootstrap {
  constructor(private readonly claims: ClaimRepository) {}

  /** A process that could not, because something is locked, serves its first winners later. */
  async onApplicationBootstrap(): Promise<void> {
    await this.claims.warmUp().catch(() => undefined);
  }
}

@Module({ imports: [DispenserModule, GrabModule], providers: [ClockSkew, JournalSweep] })
export class GrabWorkerModule {}
