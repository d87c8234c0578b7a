export { PayoutEstimateDto } from './channel.dto';
export { PayoutApiModule, PayoutModule, PayoutWorkerModule } from './payout.module';
export { activityUnpayable, channelNotFound, channelPaused } from './payout.error';
export { UsableChannels } from './usable-channels';
export { WatchRepository } from './watch.repository';
