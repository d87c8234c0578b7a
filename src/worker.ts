import { boot } from './boot';
import { WorkerModule } from './worker.module';

void boot({
  name: 'Worker',
  module: (config) => WorkerModule.forRoot(config),
  port: (config) => config.WORKER_PORT,
});
