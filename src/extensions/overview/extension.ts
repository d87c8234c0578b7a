import type { Extension } from '../extension';
import { payout } from '../payout/extension';
import { OverviewApiModule, OverviewWorkerModule } from './overview.module';

export const overview: Extension = { needs: [payout], api: OverviewApiModule, worker: OverviewWorkerModule };
