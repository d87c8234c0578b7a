export { FairnessApiModule } from './fairness.module';
