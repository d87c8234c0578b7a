import './act-for.cases';
import './admin-pages.cases';
import './admin-usage.cases';
import './admin.cases';
import './api-document.cases';
import './approvals.cases';
import './audit.cases';
import './best-luck.cases';
import './empty-bodies.cases';
import './examples.cases';
import './exports.cases';
import './hostile.cases';
import './limits.cases';
import './lists.cases';
import './looks.cases';
import './overview.cases';
import './pace.cases';
import './fairness.cases';
import './preflight.cases';
import './pseudonyms.cases';
import './payouts.cases';
import './previews.cases';
import './reversals.cases';
import './roles.cases';
import './rules.cases';
import './sponsor-word.cases';
import './statements.cases';
import './tickets.cases';
import './wallet-lists.cases';
import './wallet-statements.cases';
import { CORS_ORIGINS } from './browsers.cases';
import { shareInstallation } from '../harness/shared-installation';

/** The contract of the HTTP API. The cases of browsers search the log for secrets. */
shareInstallation({
  CODE_SEAL_KEY: Buffer.alloc(32, 7).toString('base64'),
  CORS_ORIGINS,
  LOG_LEVEL: 'debug',
  RATE_LIMIT_USER_PER_SECOND: '1000',
  WEBHOOK_BACKOFF_MS: '600000',
  WEBHOOK_PRIVATE_ADDRESSES: 'true',
});
