import type { Extension } from '../extension';
import { ExportApiModule } from './export.module';

export const exports: Extension = { api: ExportApiModule };
