import { asyncApi } from './modules/gateway';
import { grabSchemas } from './modules/grab';
import { eventWebhooks } from './modules/webhook';
import type { ApiDescription } from './platform/http';
import { version } from './platform/version';

export const apiDescription: ApiDescription = {
  title: 'Hongbao',
  version,
  description:
    "A red packet rain backend. Paste the operator's token that `npm start` has printed under **Authorize**, then: deposit " +
    "into the sponsor's wallet and create an activity. Grab with the user's token, and look at their wallet. As the operator " +
    'again, close, and read the proof.\n\n' +
    'Taps and news also go over one WebSocket, `GET /v1/gateway`; the frames are described in [/asyncapi.json](/asyncapi.json).',
  tags: [
    { name: 'wallets', description: 'Where the money is. A rain begins with a deposit.' },
    { name: 'activities', description: 'One rain: funded, split, opened and closed.' },
    { name: 'grabs', description: 'Who gets which packet.' },
    { name: 'events', description: 'Notifications instead of polling.' },
    { name: 'dead letters', description: 'Claims whose settlement gave up.' },
    { name: 'approvals', description: 'What one person has asked for, and another one decides.' },
    { name: 'webhooks', description: 'Notifying the servers of integrators.' },
    { name: 'audit', description: 'Who did what.' },
    { name: 'journal', description: 'Reservations that nobody can read.' },
    { name: 'operations', description: 'Probes, metrics, and what waits.' },
  ],
  schemas: grabSchemas,
  webhooks: eventWebhooks,
  asyncApi,
};
