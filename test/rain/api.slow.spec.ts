import './history.cases';
import { shareInstallation } from '../harness/shared-installation';

/** What the API shows of work in the background, which takes its time. */
shareInstallation();
