import type { Extension } from '../extension';
import { FairnessApiModule } from './fairness.module';

export const fairness: Extension = { api: FairnessApiModule };
