import type { Extension } from '../extension';
import { payout } from '../payout/extension';
import { PreflightApiModule } from './preflight.module';

export const preflight: Extension = { needs: [payout], api: PreflightApiModule };
