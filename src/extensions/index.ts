import type { Type } from '@nestjs/common';
import { approval } from './approval/extension';
import { archive } from './archive/extension';
import { audience } from './audience/extension';
import { claimLog } from './claim-log/extension';
import { codePool } from './code-pool/extension';
import { erasure } from './erasure/extension';
import { exports } from './export/extension';
import { fairness } from './fairness/extension';
import { gateway } from './gateway/extension';
import { history } from './history/extension';
import { notification } from './notification/extension';
import { overview } from './overview/extension';
import { payout } from './payout/extension';
import { preflight } from './preflight/extension';
import { rehearsal } from './rehearsal/extension';
import { sender } from './sender/extension';
import { series } from './series/extension';
import { statement } from './statement/extension';
import { ticket } from './ticket/extension';
import { waitlist } from './waitlist/extension';
import { webhook } from './webhook/extension';
import type { Extension } from './extension';

export type { Extension };

export const extensions: readonly Extension[] = [
  approval,
  payout,
  ticket,
  audience,
  waitlist,
  claimLog,
  fairness,
  notification,
  gateway,
  webhook,
  archive,
  exports,
  overview,
  preflight,
  history,
  codePool,
  rehearsal,
  erasure,
  sender,
  series,
  statement,
];

export const modulesOf = (program: 'api' | 'worker'): Type[] =>
  extensions.flatMap((extension) => extension[program] ?? []);
