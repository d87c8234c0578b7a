import type { Extension } from '../extension';
import { approval } from '../approval/extension';
import { payoutInvariants } from './invariants';
import { PayoutApiModule, PayoutWorkerModule } from './payout.module';
import { payoutSchema } from './schema';

export const payout: Extension = {
  needs: [approval],
  api: PayoutApiModule,
  worker: PayoutWorkerModule,
  schema: payoutSchema,
  invariants: payoutInvariants,
};
