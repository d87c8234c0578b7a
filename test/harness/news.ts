import { Inboxes, MessageStream, OwnRedis, type RedisClient, Servers } from '../../libs/redis-scripts';
import { RedisMemory } from '../../src/core/dispenser';
import { AssignmentNews } from '../../src/core/grab/confirm/assignment-news';
import { NewsListeners } from '../../src/core/news';
import { NotificationChannels } from '../../src/extensions/notification';
import { EventStreams } from '../../src/extensions/notification/notification-channel';
import { NotificationBudget } from '../../src/extensions/notification/notification-budget';
import { NotificationPublisher } from '../../src/extensions/notification/notification-publisher';
import type { Currencies } from '../../src/core/currency';
import { type AppConfig } from '../../src/platform/config';
import { Metrics } from '../../src/platform/telemetry';

const NOTIFICATIONS_MAX = 100_000;

export function publisherOn(redis: RedisClient): NotificationPublisher {
  return publishingOn(redis).publisher;
}

export function publishingOn(redis: RedisClient, notificationsMax = NOTIFICATIONS_MAX) {
  const metrics = new Metrics();
  const messages = new MessageStream(redis, notificationsMax);
  const inboxes = new Inboxes(redis, notificationsMax);
  const room = new RedisMemory(redis, Servers.behind(redis), metrics);
  const config = { NOTIFICATIONS_MAX: notificationsMax } as AppConfig;
  const budget = new NotificationBudget(messages, inboxes, room, config, metrics);
  const channels = new NotificationChannels(new EventStreams(inboxes));
  const listeners = new NewsListeners();
  const publisher = new NotificationPublisher(messages, channels, budget, new OwnRedis(redis, 1), listeners);
  return { publisher, listeners, budget, channels, messages, inboxes, room };
}

export const assignmentNews = (redis: RedisClient, currencies: Currencies): AssignmentNews =>
  new AssignmentNews(publishingOn(redis).listeners, currencies);
