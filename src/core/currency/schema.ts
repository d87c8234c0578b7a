import type { SchemaPart } from '../../platform/postgres';

/** What amounts were written in never changes. */
export const currencySchema: SchemaPart = { grants: { currency: 'select, insert' } };
