import './large-activity.cases';
import './large-export.cases';
import { shareInstallationWithoutWorker } from '../harness/shared-installation';

/** Activities with more packets and claims than any program may hold in memory. */
shareInstallationWithoutWorker();
