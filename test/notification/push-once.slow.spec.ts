import './push-once.cases';
import { shareInstallationWithoutWorker } from '../harness/shared-installation';

/** Thousands of notifications, whose workers are killed. */
shareInstallationWithoutWorker();
