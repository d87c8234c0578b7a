import type { Command } from './command';
import { foundPage } from './views';

export const webhookCommands: readonly Command[] = [
  {
    words: 'webhooks list',
    help: 'who is notified of what',
    run: async (api) =>
      foundPage(await api.get('/v1/webhooks'), ['id', 'url', 'events', 'description', 'createdAt']),
  },
];
