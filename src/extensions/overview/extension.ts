import type { Extension } from '../extension';
import { claimLog } from '../claim-log/extension';
import { payout } from '../payout/extension';
import { webhook } from '../webhook/extension';
import { OverviewApiModule, OverviewWorkerModule } from './overview.module';

export const overview: Extension = {
  needs: [claimLog, payout, webhook],
  api: OverviewApiModule,
  worker: OverviewWorkerModule,
};
