import type { Extension } from '../extension';
import { archiveSchema } from './schema';

export const archive: Extension = { schema: archiveSchema };
