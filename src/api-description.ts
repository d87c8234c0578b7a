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
    'opens, watch it, top it up, look after dead letters, close it, read the proof and fetch the files.\n\n' +
    'Every body is filled in with what is required, and more examples are in the list above it. Ids are left to you. ' +
    'The wallet that pays is that of the caller, unless `sponsorId` names another. Every answer that is not a success ' +
    'is a [problem](docs/errors).\n\n' +
    'Taps and news also go over one WebSocket, `GET /v1/gateway`; the frames are described in ' +
    '[/asyncapi.json](asyncapi.json). Generators of clients read [/openapi.json](openapi.json) or ' +
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
