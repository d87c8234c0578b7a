import './large-activity.cases';
import './large-export.cases';
import { shareInstallationWithoutWorker } from '../harness/shared-installation';

/** Activities with so many packets and claims that no program may hold them all. */
shareInstallationWithoutWorker();
