export { closeInTime } from './close-in-time';
export { defineJob, jobOptions, Processes } from './job-catalog';
export { ConsumerQueueModule, ProducerQueueModule, queueOf } from './queue.module';
export { restIfRefused } from './rest-if-refused';
export { RunTimeQueues } from './run-time-queues';
