import type { Extension } from '../extension';
import { notification } from '../notification/extension';
import { asyncApi } from './async-api';
import { GatewayApiModule } from './gateway.module';

export const gateway: Extension = { needs: [notification], api: GatewayApiModule, description: { asyncApi } };
