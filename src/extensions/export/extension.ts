import type { Extension } from '../extension';
import { payout } from '../payout/extension';
import { ExportApiModule } from './export.module';

export const exports: Extension = { needs: [payout], api: ExportApiModule };
