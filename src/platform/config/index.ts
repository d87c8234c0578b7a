export { AppConfig } from './app-config';
export { ConfigError } from './config.error';
export { ConfigModule } from './config.module';
export { DefaultCurrency } from './currency';
export { loadConfig } from './load-config';
export { lookAlikes, settingNames } from './look-alikes';
export { fitsAlgorithm, publicKeyAlgorithm } from './public-key';
export { SAMPLE_JWT_SECRET } from './config-rules';
export type { TrustedProxies } from './trusted-proxies';
