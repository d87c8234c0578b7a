export { closeInTime } from './close-in-time';
export { defineJob, jobOptions, Processes, type JobDefinition } from './job-catalog';
export { ConsumerQueueModule, ProducerQueueModule } from './queue.module';
export { RunTimeQueues } from './run-time-queues';
