import { ApiModule } from './api.module';
import { apiDescription } from './api-description';
import { boot } from './boot';
import { TapService } from './core/grab';

void boot({
  name: 'API',
  file: __filename,
  module: (config) => ApiModule.forRoot(config),
  port: (config) => config.PORT,
  processes: (config) => config.API_PROCESSES,
  api: apiDescription,
  lane: (app) => app.get(TapService),
});
