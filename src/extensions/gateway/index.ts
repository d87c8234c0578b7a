export { asyncApi } from './async-api';
export { GatewayApiModule } from './gateway.module';
