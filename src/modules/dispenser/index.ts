export { DispenserModule } from './dispenser.module';
