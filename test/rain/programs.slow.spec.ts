import './boot.cases';
import './log.cases';
import './start.cases';
import './storm.cases';
import './traces.cases';
import { shareInstallationWithoutWorker } from '../harness/shared-installation';

/** Programs that start and end alongside others, each with its own settings. */
shareInstallationWithoutWorker();
