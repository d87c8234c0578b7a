import { paceSchemas } from './modules/activity';
import { asyncApi } from './modules/gateway';
import { grabSchemas } from './modules/grab';
import { splitSchemas } from './modules/lifecycle';
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
    { name: 'wallets', description: 'Balances and ledger lines. A rain begins with a deposit.' },
    { name: 'activities', description: 'A rain: funded, split, opened and closed.' },
    { name: 'grabs', description: 'Taps and the packets that they win.' },
    { name: 'fairness', description: 'Commitments to packets, the log of claims, and proofs of both.' },
    { name: 'payouts', description: 'Money that leaves wallets through channels.' },
    { name: 'events', description: 'Notifications instead of polling.' },
    { name: 'dead letters', description: 'Claims that could not be paid.' },
    { name: 'approvals', description: 'Requests of one person that a second person decides.' },
    { name: 'webhooks', description: 'Notifications for servers of integrators.' },
    { name: 'audit', description: 'Actions of staff and sponsors.' },
    { name: 'journal', description: 'Reservations that cannot be read.' },
    { name: 'operations', description: 'Probes, metrics and open work.' },
  ],
  schemas: { ...grabSchemas, ...splitSchemas, ...paceSchemas },
  webhooks: eventWebhooks,
  asyncApi,
};
