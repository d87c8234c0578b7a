import './forgotten-keys.cases';
import './killed-closer.cases';
import { shareInstallation } from '../harness/shared-installation';
import { IMPATIENT } from '../webhook/support';

/** What takes a program its time. The cases run again on a cluster and behind Sentinel, as those of rain.spec.ts. */
shareInstallation(IMPATIENT);
