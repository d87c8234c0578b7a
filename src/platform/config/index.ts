export { AppConfig, LOG_LEVELS } from './app-config';
export { ConfigError } from './config.error';
export { ConfigModule } from './config.module';
export { Currency } from './currency';
export { loadConfig } from './load-config';
export { publicKeyAlgorithm } from './public-key';
export { SAMPLE_JWT_SECRET } from './sample-secret';
export type { ServerAddress } from './server-addresses';
export type { TrustedProxies } from './trusted-proxies';
