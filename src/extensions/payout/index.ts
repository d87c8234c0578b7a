export { PayoutEstimateDto } from './channel/channel.dto';
export { PayoutApiModule, PayoutModule, PayoutWorkerModule } from './payout.module';
export { PaidOutRepository, type PaidOutRow } from './gather/paid-out.repository';
export { activityUnpayable, channelNotFound, channelPaused } from './channel/channel.error';
export { UsableChannels } from './channel/usable-channels';
export { WatchRepository } from './watch/watch.repository';
