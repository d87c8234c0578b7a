import { migrations } from '../migrations';
import { activitySchema } from './core/activity';
import { auditSchema } from './core/audit';
import { currencySchema } from './core/currency';
import { grabSchema } from './core/grab';
import { reconciliationSchema } from './core/reconciliation';
import { walletSchema } from './core/wallet';
import { extensions } from './extensions';
import { idempotencySchema } from './platform/http';
import { composeSchema } from './platform/postgres';

export const schema = composeSchema(migrations, [
  idempotencySchema,
  currencySchema,
  activitySchema,
  grabSchema,
  walletSchema,
  reconciliationSchema,
  auditSchema,
  ...extensions.flatMap(({ schema: part }) => part ?? []),
]);
