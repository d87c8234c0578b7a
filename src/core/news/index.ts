export { ActivityEventDto, EventDto, PACKET_EXAMPLES, PacketEventDto } from './event-data.dto';
export { defineEvents, type EventKind, eventKinds, eventNames } from './event-kinds';
export type { DataOf, EventData, NewsItem, NewsOfActivity, NewsOfPacket } from './news-item';
export { type NewsListener, NewsListeners, type NewsMarks } from './news-listeners';
export { NewsModule } from './news.module';
