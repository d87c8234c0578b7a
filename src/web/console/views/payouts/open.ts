import type { Schema } from '../../../../../libs/client';

const OPEN: readonly Schema<'PayoutDto'>['state'][] = ['reserved', 'unknown', 'processing', 'needs-user'];

/** Staff may ask for it again, or find out how it ended. */
export const isOpen = ({ state }: Pick<Schema<'PayoutDto'>, 'state'>): boolean => OPEN.includes(state);
