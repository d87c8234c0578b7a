import type { Extension } from '../extension';
import { statementInvariants } from './invariants';
import { StatementApiModule } from './statement.module';

export const statement: Extension = {
  api: StatementApiModule,
  schema: {
    grants: {
      wallet_statement: 'select, insert',
      wallet_statement_line: 'select, insert',
      wallet_statement_unproven: 'select, insert, delete',
      wallet_statement_walk: 'select, insert, update',
    },
  },
  invariants: statementInvariants,
};
