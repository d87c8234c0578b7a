import { Module } from '@nestjs/common';
import { ApprovalModule } from '../approval';
import { AuditModule } from '../../core/audit';
import { LifecycleApiModule } from '../../core/lifecycle';
import { PayoutApiModule } from '../payout';
import { WalletApiModule } from '../../core/wallet';
import { ReviewController } from './review.controller';
import { ReviewService } from './review.service';
import { ReviewedDeeds } from './reviewed-deeds';

@Module({
  imports: [ApprovalModule, AuditModule, LifecycleApiModule, PayoutApiModule, WalletApiModule],
  controllers: [ReviewController],
  providers: [ReviewService, ReviewedDeeds],
})
export class ReviewApiModule {}
