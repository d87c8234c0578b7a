import { ApiModule } from './api.module';
import { apiDescription } from './api-description';
import { boot } from './boot';

void boot({
  name: 'API',
  module: (config) => ApiModule.forRoot(config),
  port: (config) => config.PORT,
  api: apiDescription,
});
