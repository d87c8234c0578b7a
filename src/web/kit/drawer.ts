import type { Schema } from '../../../libs/client';

/** Who drew the packets of a batch: the server with the word of its sponsor, or the server alone. */
export type Drawer = 'sponsor' | 'server';

export const drawerOf = ({ v }: Pick<Schema<'BatchTermsDto'>, 'v'>): Drawer =>
  v === '3' ? 'sponsor' : 'server';
