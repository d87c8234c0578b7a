import type { Redis } from 'ioredis';
import { Inboxes, MessageStream } from '../../libs/redis-scripts';
import { AssignmentNews } from '../../src/modules/grab/assignment-news';
import { FrontEnds, NotificationPublisher } from '../../src/modules/notification';
import { EventStreams } from '../../src/modules/notification/front-end';
import type { Currency } from '../../src/platform/config';

export const publisherOn = (redis: Redis): NotificationPublisher =>
  new NotificationPublisher(new MessageStream(redis), new FrontEnds(new EventStreams(new Inboxes(redis))));

export const assignmentNews = (redis: Redis, currency: Currency): AssignmentNews =>
  new AssignmentNews(publisherOn(redis), currency);
