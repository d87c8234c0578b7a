export { WebhookApiModule, WebhookWorkerModule } from './webhook.module';
