export { WaitlistApiModule, WaitlistWorkerModule } from './waitlist.module';
