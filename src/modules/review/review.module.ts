import { Module } from '@nestjs/common';
import { ApprovalModule } from '../approval';
import { AuditModule } from '../audit';
import { LifecycleApiModule } from '../lifecycle';
import { PayoutApiModule } from '../payout';
import { WalletApiModule } from '../wallet';
import { ReviewController } from './review.controller';
import { ReviewService } from './review.service';
import { ReviewedDeeds } from './reviewed-deeds';

@Module({
  imports: [ApprovalModule, AuditModule, LifecycleApiModule, PayoutApiModule, WalletApiModule],
  controllers: [ReviewController],
  providers: [ReviewService, ReviewedDeeds],
})
export class ReviewApiModule {}
