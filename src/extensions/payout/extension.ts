import type { Extension } from '../extension';
import { payoutInvariants } from './invariants';
import { payoutDeeds } from './book/payout-deeds';
import { PayoutApiModule, PayoutWorkerModule } from './payout.module';
import { payoutSchema } from './schema';

export const payout: Extension = {
  api: PayoutApiModule,
  worker: PayoutWorkerModule,
  schema: payoutSchema,
  invariants: payoutInvariants,
  deeds: payoutDeeds,
};
