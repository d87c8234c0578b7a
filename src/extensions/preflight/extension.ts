import type { Extension } from '../extension';
import { payout } from '../payout/extension';
import { ticket } from '../ticket/extension';
import { PreflightApiModule, PreflightWorkerModule } from './preflight.module';

export const preflight: Extension = {
  needs: [payout, ticket],
  api: PreflightApiModule,
  worker: PreflightWorkerModule,
};
