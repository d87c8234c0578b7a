export { PayoutEstimateDto } from './channel/channel.dto';
export { PayoutApiModule, PayoutModule, PayoutWorkerModule } from './payout.module';
export { activityUnpayable, channelNotFound, channelPaused } from './channel/channel.error';
export { UsableChannels } from './channel/usable-channels';
export { WatchRepository } from './watch/watch.repository';
