import type { Schema } from '../../../libs/client';

/** Who drew the packets of a batch: the server with the word of its sponsor, or the server alone. */
export type Drawer = 'sponsor' | 'server';

/** `claimed`: the terms name a word of the sponsor, which nobody can check before the seed is revealed. */
export type CheckedDrawer = Drawer | 'claimed';

export const drawerOf = ({ v }: Pick<Schema<'BatchTermsDto'>, 'v'>): Drawer =>
  v === '3' ? 'sponsor' : 'server';
