export { PayoutEstimateDto } from './channel.dto';
export { OutcomeService } from './outcome.service';
export { PayoutApiModule, PayoutModule, PayoutWorkerModule } from './payout.module';
export {
  activityUnpayable,
  channelNotFound,
  channelPaused,
  ownPayout,
  payoutNotOpen,
  payoutSentAgain,
} from './payout.error';
export { PayoutReviews } from './payout-reviews';
export { UsableChannels } from './usable-channels';
export { WatchRepository } from './watch.repository';
