import type { Extension } from '../extension';
import { payout } from '../payout/extension';
import { rehearsal } from '../rehearsal/extension';
import { PreflightApiModule } from './preflight.module';

export const preflight: Extension = { needs: [payout, rehearsal], api: PreflightApiModule };
