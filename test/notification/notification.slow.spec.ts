import './events.cases';
import './payout-news.cases';
import './waitlist.cases';
import { shareInstallationWithoutWorker } from '../harness/shared-installation';

/** Notifications of a whole system, whose workers are killed. */
shareInstallationWithoutWorker();
