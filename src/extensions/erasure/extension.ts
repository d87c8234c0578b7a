import type { Extension } from '../extension';

export const erasure: Extension = {
  schema: { grants: { erasure: 'select, insert' }, people: { erasure: ['requested_by'] } },
};
