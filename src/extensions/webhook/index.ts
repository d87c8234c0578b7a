export { WebhookDirectory } from './webhook-directory';
export { WebhookQueues } from './webhook-queues';
