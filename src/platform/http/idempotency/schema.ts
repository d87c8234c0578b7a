import type { SchemaPart } from '../../postgres';

export const idempotencySchema: SchemaPart = {
  grants: { idempotency_key: 'select, insert, delete', 'sequence idempotency_key_id_seq': 'usage' },
  people: { idempotency_key: ['principal', 'response', 'fingerprint (digest)'] },
};
