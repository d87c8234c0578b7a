import { migrations } from '../migrations';
import { activitySchema } from './modules/activity';
import { approvalSchema } from './modules/approval';
import { archiveSchema } from './modules/archive';
import { auditSchema } from './modules/audit';
import { claimLogSchema } from './modules/claim-log';
import { grabSchema } from './modules/grab';
import { payoutSchema } from './modules/payout';
import { reconciliationSchema } from './modules/reconciliation';
import { ticketSchema } from './modules/ticket';
import { walletSchema } from './modules/wallet';
import { webhookSchema } from './modules/webhook';
import { idempotencySchema } from './platform/http';
import { composeSchema } from './platform/postgres';

export const schema = composeSchema(migrations, [
  idempotencySchema,
  activitySchema,
  grabSchema,
  claimLogSchema,
  walletSchema,
  reconciliationSchema,
  auditSchema,
  approvalSchema,
  webhookSchema,
  payoutSchema,
  ticketSchema,
  archiveSchema,
]);
