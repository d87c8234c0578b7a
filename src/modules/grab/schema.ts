import { functionFile, type SchemaPart } from '../../platform/postgres';

export const grabSchema: SchemaPart = {
  grants: { claim: 'select, insert' },
  functions: [functionFile(__dirname, 'confirm.sql')],
};
