import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AuditModule } from '../../core/audit';
import { DispenserModule } from '../../core/dispenser';
import { NewsModule } from '../../core/news';
import { OutletModule } from '../../core/outlet';
import { SecondPersonModule } from '../../core/second-person';
import { WalletModule } from '../../core/wallet';
import { AskedPayouts } from './asked-payouts';
import { ChannelController } from './channel.controller';
import { ChannelRow } from './channel.entity';
import { ChannelRepository } from './channel.repository';
import { ChannelService } from './channel.service';
import { FindingRow } from './finding.entity';
import { FindingRepository } from './finding.repository';
import { FindingService } from './finding.service';
import { LostCalls } from './lost-calls';
import { OutcomeService } from './outcome.service';
import { PayoutAsks } from './payout-asks';
import { PayoutChanges } from './payout-changes';
import { PayoutNews } from './payout-news';
import { PayoutOutcomes } from './payout-outcomes';
import { PayoutOutlet } from './payout-outlet';
import { PayoutReviews } from './payout-reviews';
import { PayoutController } from './payout.controller';
import { PayoutEventRow, PayoutRow } from './payout.entity';
import { PayoutRepository } from './payout.repository';
import { PayoutService } from './payout.service';
import { PayoutWatch } from './payout-watch';
import { ReviewSweep } from './review-sweep';
import { Answers } from './send/answers';
import { ChannelClient } from './send/channel-client';
import { Claims } from './send/claims';
import { PayoutSender } from './send/payout-sender';
import { SendingRepository } from './send/sending.repository';
import { StatementController } from './statement/statement.controller';
import { StatementJudge } from './statement/statement-judge';
import { StatementRepository } from './statement/statement.repository';
import { StatementService } from './statement/statement.service';
import { UnsentRepository } from './unsent.repository';
import { UnsentSweep } from './unsent-sweep';
import { UsableChannels } from './usable-channels';
import { WatchRepository } from './watch.repository';

const SHARED = [
  ChannelRepository,
  FindingRepository,
  LostCalls,
  PayoutChanges,
  PayoutOutcomes,
  PayoutRepository,
  PayoutReviews,
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
  controllers: [ChannelController, PayoutController, StatementController],
  providers: [
    ...[AskedPayouts, ChannelService, FindingService, OutcomeService, PayoutAsks, PayoutService],
    ...[StatementJudge, StatementRepository, StatementService],
  ],
  exports: [PayoutModule],
})
export class PayoutApiModule {}

@Module({
  imports: [NewsModule, PayoutModule],
  providers: [
    ...[Answers, ChannelClient, Claims, PayoutSender, SendingRepository],
    ...[PayoutNews, PayoutWatch, ReviewSweep, UnsentRepository, UnsentSweep],
  ],
})
export class PayoutWorkerModule {}
