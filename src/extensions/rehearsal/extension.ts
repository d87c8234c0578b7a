import type { Extension } from '../extension';
import { RehearsalApiModule, RehearsalWorkerModule } from './rehearsal.module';

export const rehearsal: Extension = {
  api: RehearsalApiModule,
  worker: RehearsalWorkerModule,
  schema: { grants: { rehearsal_report: 'select, insert' }, people: { rehearsal_report: ['reported_by'] } },
};
