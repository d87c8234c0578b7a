export { OutcomeService } from './outcome.service';
export { PayoutApiModule, PayoutWorkerModule } from './payout.module';
export { payoutNotOpen } from './payout.error';
export { PayoutReviews } from './payout-reviews';
export { payoutSchema } from './schema';
