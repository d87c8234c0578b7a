export { ReviewApiModule } from './review.module';
