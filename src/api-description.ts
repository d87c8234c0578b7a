import { paceSchemas } from './core/activity';
import { describeTapOptions, grabSchemas } from './core/grab';
import { describeSeeds, lifecycleDeeds, splitSchemas } from './core/lifecycle';
import { describeBacking } from './core/currency';
import { describeOutlet } from './core/outlet';
import { walletDeeds } from './core/wallet';
import { type Extension, extensions } from './extensions';
import { apiTags } from './api-tags';
import type { ApiDescription } from './platform/http';
import { version } from './platform/version';

/** The deeds that may need a second person. */
const deeds = [
  ...walletDeeds,
  ...lifecycleDeeds(),
  ...extensions.flatMap((extension) => extension.deeds ?? []),
];

export const apiDescription: ApiDescription = {
  title: 'Hongbao',
  version,
  description:
    "A red packet rain backend. Paste an operator's token under **Authorize** (`npm start` prints one), then work from " +
    'top to bottom: deposit into the wallet that pays, preview the split, create the activity, check it before it ' +
    'opens, watch it, top it up, handle dead letters, close it, read the proof and fetch the files.\n\n' +
    'Every body is filled in with the required members, and the list above it has more examples. You fill in the ids. ' +
    "The caller's wallet pays, unless `sponsorId` names another. Every answer that is not a success " +
    'is a [problem](docs/errors).\n\n' +
    'Taps and events can also share one WebSocket, `GET /v1/gateway`; the frames are described in ' +
    '[/asyncapi.json](asyncapi.json). Client generators read [/openapi.json](openapi.json) or ' +
    '[/openapi-3.0.json](openapi-3.0.json).',
  tags: apiTags,
  schemas: { ...grabSchemas, ...splitSchemas, ...paceSchemas },
  ...extensions.reduce<Extension['description']>((all, { description }) => ({ ...all, ...description }), {}),
  describe: (document) => {
    describeTapOptions(document);
    describeBacking(document);
    describeOutlet(document);
    describeSeeds(document);
    extensions.forEach(({ describe }) => describe?.(document, deeds));
  },
};
