import { Module, type OnApplicationBootstrap } from '@nestjs/common';
import { ActivityModule } from '../activity';
import { ClockSkew, DispenserModule, RedisTrustModule } from '../dispenser';
import { NewsModule } from '../news';
import { WalletModule } from '../wallet';
import { TapAdmissionModule } from './admission/tap-admission.module';
import { AssignmentNews } from './confirm/assignment-news';
import { ClaimLookup } from './confirm/claim-lookup';
import { ClaimRepository } from './confirm/claim.repository';
import { ConfirmService } from './confirm/confirm.service';
import { HomePartNotes } from './confirm/home-part-notes';
import { WaitingUsers } from './confirm/waiting-users';
import { MissingActivities } from './draw/missing-activities';
import { Journal } from './journal/journal';
import { JournalBacklog } from './journal/journal-backlog';
import { JournalSweep } from './journal/journal-sweep';
import { QuarantineController } from './journal/quarantine.controller';
import { QuarantineService } from './journal/quarantine.service';
import { PartDrawsModule } from './parts/part-draws.module';
import { GrabController } from './tap/grab.controller';
import { GrabService } from './tap/grab.service';
import { LastPackets } from './tap/last-packets';
import { RefusalCheck } from './tap/refusal-check';
import { TapCounts } from './tap/tap-counts';
import { TapListeners } from './tap/tap-listeners';
import { TapService } from './tap/tap.service';

/** The way from a reservation to a claim. */
@Module({
  imports: [ActivityModule, DispenserModule, NewsModule, WalletModule],
  providers: [
    AssignmentNews,
    ClaimRepository,
    ConfirmService,
    HomePartNotes,
    Journal,
    MissingActivities,
    WaitingUsers,
  ],
  exports: [ClaimRepository, ConfirmService, Journal, MissingActivities],
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
  controllers: [GrabController, QuarantineController],
  providers: [
    ClaimLookup,
    ClockSkew,
    GrabService,
    JournalBacklog,
    LastPackets,
    QuarantineService,
    RefusalCheck,
    TapCounts,
    TapListeners,
    TapService,
  ],
  exports: [ClockSkew, TapListeners, TapService],
})
export class GrabApiModule implements OnApplicationBootstrap {
  constructor(private readonly claims: ClaimRepository) {}

  /** If a lock keeps a process from warming up, it serves its first winners more slowly. */
  async onApplicationBootstrap(): Promise<void> {
    await this.claims.warmUp().catch(() => undefined);
  }
}

@Module({ imports: [DispenserModule, GrabModule], providers: [ClockSkew, JournalSweep] })
export class GrabWorkerModule {}
