import type { Extension } from '../extension';
import { ticket } from '../ticket/extension';
import { WaitlistApiModule, WaitlistWorkerModule } from './waitlist.module';

export const waitlist: Extension = { needs: [ticket], api: WaitlistApiModule, worker: WaitlistWorkerModule };
