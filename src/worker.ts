import { boot } from './boot';
import { WorkerModule } from './worker.module';

void boot({
  name: 'Worker',
  file: __filename,
  module: (config) => WorkerModule.forRoot(config),
  port: (config) => config.WORKER_PORT,
  processes: () => 1,
});
