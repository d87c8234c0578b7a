import type { ApiDescription } from './platform/http';
import { version } from './platform/version';

export const apiDescription: ApiDescription = {
  title: 'Hongbao',
  version,
  description:
    'A red packet rain backend. Paste the token that `npm start` has printed under **Authorize**, then: deposit into the ' +
    "sponsor's wallet, create an activity, grab, look at the wallets, close, and read the proof.",
  tags: [
    { name: 'activities', description: 'One rain: funded, split, opened and closed.' },
    { name: 'grabs', description: 'Who gets which packet.' },
    { name: 'events', description: 'Notifications instead of polling.' },
    { name: 'webhooks', description: 'Notifying the servers of integrators.' },
    { name: 'wallets', description: 'Where the money is.' },
    { name: 'dead letters', description: 'Claims whose settlement gave up.' },
    { name: 'audit', description: 'Who did what.' },
    { name: 'operations', description: 'Probes and metrics.' },
  ],
};
