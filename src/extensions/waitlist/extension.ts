import type { Extension } from '../extension';
import { WaitlistApiModule, WaitlistWorkerModule } from './waitlist.module';

export const waitlist: Extension = { api: WaitlistApiModule, worker: WaitlistWorkerModule };
