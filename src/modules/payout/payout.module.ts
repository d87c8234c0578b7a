import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ApprovalModule } from '../approval';
import { AuditModule } from '../audit';
import { WalletModule } from '../wallet';
import { ChannelController } from './channel.controller';
import { ChannelRow } from './channel.entity';
import { ChannelRepository } from './channel.repository';
import { ChannelService } from './channel.service';
import { FindingRow } from './finding.entity';
import { FindingRepository } from './finding.repository';
import { FindingService } from './finding.service';
import { OutcomeService } from './outcome.service';
import { PayoutChanges } from './payout-changes';
import { PayoutReviews } from './payout-reviews';
import { PayoutController } from './payout.controller';
import { PayoutEventRow, PayoutRow } from './payout.entity';
import { PayoutRepository } from './payout.repository';
import { PayoutService } from './payout.service';
import { ReviewSweep } from './review-sweep';
import { UnsentRepository } from './unsent.repository';
import { UnsentSweep } from './unsent-sweep';
import { UsableChannels } from './usable-channels';

/** Money that leaves: from a wallet, through a channel, once. */
@Module({
  imports: [WalletModule, TypeOrmModule.forFeature([ChannelRow, FindingRow, PayoutEventRow, PayoutRow])],
  providers: [ChannelRepository, PayoutChanges, PayoutRepository, PayoutReviews, UsableChannels],
  exports: [ChannelRepository, PayoutChanges, PayoutRepository, PayoutReviews, TypeOrmModule, UsableChannels],
})
export class PayoutModule {}

@Module({
  imports: [ApprovalModule, AuditModule, PayoutModule, WalletModule],
  controllers: [ChannelController, PayoutController],
  providers: [ChannelService, FindingRepository, FindingService, OutcomeService, PayoutService],
  exports: [OutcomeService, PayoutModule],
})
export class PayoutApiModule {}

@Module({ imports: [PayoutModule], providers: [ReviewSweep, UnsentRepository, UnsentSweep] })
export class PayoutWorkerModule {}
