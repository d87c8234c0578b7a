import './admin-program.cases';
import './identity.cases';
import { shareInstallation } from '../harness/shared-installation';

/** The commands of operators, and what only a running installation can show about its Redis. */
shareInstallation({ WEBHOOK_BACKOFF_MS: '600000', WEBHOOK_PRIVATE_ADDRESSES: 'true' });
