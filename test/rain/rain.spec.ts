import './hogging.cases';
import './many-activities.cases';
import './top-up.cases';
import './user-ids.cases';
import './void-claim.cases';
import './whole-rain.cases';
import { shareInstallation } from '../harness/shared-installation';
import { IMPATIENT } from '../webhook/support';

/** All movements of money. The cases run again on a cluster and behind Sentinel. */
shareInstallation(IMPATIENT);
