import { migrations } from '../migrations';
import { activitySchema } from './core/activity';
import { approvalSchema } from './extensions/approval';
import { archiveSchema } from './extensions/archive';
import { auditSchema } from './core/audit';
import { claimLogSchema } from './extensions/claim-log';
import { grabSchema } from './core/grab';
import { payoutSchema } from './extensions/payout';
import { reconciliationSchema } from './core/reconciliation';
import { ticketSchema } from './extensions/ticket';
import { walletSchema } from './core/wallet';
import { webhookSchema } from './extensions/webhook';
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
