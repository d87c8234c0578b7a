import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AuditModule } from '../../core/audit';
import { DispenserModule } from '../../core/dispenser';
import { NewsModule } from '../../core/news';
import { OutletModule } from '../../core/outlet';
import { SecondPersonModule } from '../../core/second-person';
import { WalletModule } from '../../core/wallet';
import { AskedPayouts } from './ask/asked-payouts';
import { ChannelController } from './channel/channel.controller';
import { ChannelRow } from './channel/channel.entity';
import { ChannelRepository } from './channel/channel.repository';
import { ChannelService } from './channel/channel.service';
import { FindingRow } from './channel/finding.entity';
import { FindingRepository } from './channel/finding.repository';
import { FindingService } from './watch/finding.service';
import { CallRecords } from './book/call-records';
import { LostCalls } from './book/lost-calls';
import { NewPayouts } from './book/new-payouts';
import { StateRepository } from './book/state.repository';
import { AskController } from './ask/ask.controller';
import { PayoutLists } from './book/payout-lists';
import { ReadingController } from './send/reading.controller';
import { ReadingService } from './send/reading.service';
import { FindingController } from './watch/finding.controller';
import { ResolutionService } from './watch/resolution.service';
import { PayoutAsks } from './ask/payout-asks';
import { PayoutChanges } from './book/payout-changes';
import { PayoutHolds } from './watch/payout-holds';
import { PayoutNews } from './watch/payout-news';
import { PayoutOutcomes } from './book/payout-outcomes';
import { PaidOutRepository } from './gather/paid-out.repository';
import { PayoutOutlet } from './gather/payout-outlet';
import { PayoutDecisions } from './book/payout-decisions';
import { PayoutController } from './watch/payout.controller';
import { PayoutEventRow, PayoutRow } from './book/payout.entity';
import { PayoutRepository } from './book/payout.repository';
import { PayoutService } from './watch/payout.service';
import { PayoutWatch } from './watch/payout-watch';
import { ReviewSweep } from './book/review-sweep';
import { Answers } from './send/answers';
import { ChannelClient } from './send/channel-client';
import { DueCalls } from './send/due-calls';
import { PayoutSender } from './send/payout-sender';
import { DueRepository } from './send/due.repository';
import { PaceRepository } from './send/pace.repository';
import { StatementController } from './statement/statement.controller';
import { StatementJudge } from './statement/statement-judge';
import { StatementRepository } from './statement/statement.repository';
import { StatementService } from './statement/statement.service';
import { UnsentRepository } from './gather/unsent.repository';
import { UnsentSweep } from './gather/unsent-sweep';
import { UsableChannels } from './channel/usable-channels';
import { WatchRepository } from './watch/watch.repository';

const SHARED = [
  CallRecords,
  ChannelRepository,
  FindingRepository,
  LostCalls,
  NewPayouts,
  PaidOutRepository,
  PayoutChanges,
  PayoutDecisions,
  PayoutOutcomes,
  PayoutRepository,
  StateRepository,
  UsableChannels,
  WatchRepository,
];

/** Money that leaves: from a wallet, through a channel, once. */
@Module({
  imports: [
    AuditModule,
    DispenserModule,
    OutletModule,
    SecondPersonModule,
    WalletModule,
    TypeOrmModule.forFeature([ChannelRow, FindingRow, PayoutEventRow, PayoutRow]),
  ],
  providers: [...SHARED, PayoutOutlet],
  exports: [...SHARED, TypeOrmModule],
})
export class PayoutModule {}

@Module({
  imports: [AuditModule, PayoutModule, SecondPersonModule, WalletModule],
  controllers: [
    ...[AskController, ChannelController, FindingController, PayoutController],
    ...[ReadingController, StatementController],
  ],
  providers: [
    ...[AskedPayouts, ChannelService, DueRepository, FindingService, PayoutAsks, PayoutHolds],
    ...[PayoutLists, PayoutService, ReadingService, ResolutionService],
    ...[StatementJudge, StatementRepository, StatementService],
  ],
  exports: [PayoutModule],
})
export class PayoutApiModule {}

@Module({
  imports: [NewsModule, PayoutModule],
  providers: [
    ...[Answers, ChannelClient, DueCalls, DueRepository, PaceRepository, PayoutSender],
    ...[PayoutNews, PayoutWatch, ReviewSweep, UnsentRepository, UnsentSweep],
  ],
})
export class PayoutWorkerModule {}
