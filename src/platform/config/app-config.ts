import { IsIn, IsOptional, IsString, Matches } from 'class-validator';
import {
  Amount,
  Beside,
  ByProvider,
  CurrencyCode,
  FormerSigningSeed,
  Integer,
  KeySetUrl,
  Needs,
  NotBeside,
  NotInProduction,
  OnlyInDevelopment,
  OnlyOneOf,
  Origins,
  OtherPort,
  PublicKey,
  RandomKey,
  Ratio,
  RedisUrl,
  RequiredBeside,
  RoleNames,
  SecureUrl,
  ServerAddresses,
  ServiceUrl,
  SigningSecret,
  Switch,
  Trusted,
  WitnessKeys,
  ZoneName,
} from './config-rules';
import type { Role } from '../../../libs/roles';
import type { ServerAddress } from './server-addresses';
import type { TrustedProxies } from './trusted-proxies';

const REDIS_PLACES = ['REDIS_URL', 'REDIS_CLUSTER_NODES', 'REDIS_SENTINELS'];

const TOKEN_KEYS = ['JWT_SECRET', 'JWT_PUBLIC_KEY', 'JWT_JWKS_URL'];

const KEY_SET_ALGORITHMS = [
  ...(['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'] as const),
  ...(['ES256', 'ES384', 'ES512', 'EdDSA'] as const),
] as const;

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'fatal'] as const;

/**
 * All settings of both processes. A property has exactly the name of its environment variable, and its
 * initializer is the default; a property without an initializer must be set. `.env.example` explains each.
 */
export class AppConfig {
  @IsIn(['development', 'test', 'production'], { message: 'must be development, test or production' })
  readonly NODE_ENV: 'development' | 'test' | 'production' = 'development';

  @IsString()
  readonly HOST: string = '127.0.0.1';

  @Integer({ min: 0, max: 65_535 })
  readonly PORT: number = 3000;

  @Matches(/^((\/[\w.~-]+)+)?$/, { message: 'must be a path such as /api, without a slash at its end' })
  readonly BASE_PATH: string = '';

  @IsOptional()
  @Integer({ min: 0, max: 65_535 })
  @OtherPort()
  readonly ADMIN_PORT?: number;

  @Integer({ min: 1, max: 128 })
  readonly API_PROCESSES: number = 1;

  @Integer({ min: 0, max: 65_535 })
  readonly WORKER_PORT: number = 3001;

  @ServiceUrl('postgres', 'postgresql')
  readonly DATABASE_URL!: string;

  /** Becomes part of `DATABASE_URL` when the environment is read. */
  @IsOptional()
  @IsString()
  readonly DATABASE_PASSWORD?: string;

  @IsString()
  readonly DATABASE_ROLE: string = 'hongbao_app';

  @Switch()
  readonly DATABASE_FSYNC_BY_PLATFORM: boolean = false;

  @Integer({ min: 2, max: 500 })
  readonly DATABASE_POOL_MAX: number = 10;

  @OnlyOneOf(REDIS_PLACES)
  @RedisUrl()
  readonly REDIS_URL?: string;

  @OnlyOneOf(REDIS_PLACES)
  @ServerAddresses()
  readonly REDIS_CLUSTER_NODES?: readonly ServerAddress[];

  @OnlyOneOf(REDIS_PLACES)
  @ServerAddresses()
  readonly REDIS_SENTINELS?: readonly ServerAddress[];

  @RequiredBeside('REDIS_SENTINELS')
  readonly REDIS_SENTINEL_NAME?: string;

  @Beside('REDIS_SENTINELS')
  readonly REDIS_SENTINEL_USERNAME?: string;

  @Beside('REDIS_SENTINELS')
  readonly REDIS_SENTINEL_PASSWORD?: string;

  @NotBeside('REDIS_URL')
  readonly REDIS_USERNAME?: string;

  @NotBeside('REDIS_URL')
  readonly REDIS_PASSWORD?: string;

  @Switch()
  @NotBeside('REDIS_URL')
  readonly REDIS_TLS: boolean = false;

  @Integer({ min: 1, max: 1024 })
  readonly SHARD_COUNT: number = 16;

  @CurrencyCode()
  readonly CURRENCY: string = 'CNY';

  @ZoneName()
  readonly TIME_ZONE: string = 'UTC';

  @OnlyOneOf(TOKEN_KEYS)
  @SigningSecret()
  readonly JWT_SECRET?: string;

  @SigningSecret()
  @Beside('JWT_SECRET')
  readonly JWT_SECRET_PREVIOUS?: string;

  @OnlyOneOf(TOKEN_KEYS)
  @PublicKey()
  readonly JWT_PUBLIC_KEY?: string;

  @OnlyOneOf(TOKEN_KEYS)
  @KeySetUrl()
  readonly JWT_JWKS_URL?: string;

  @IsIn(KEY_SET_ALGORITHMS, { message: `must be one of ${KEY_SET_ALGORITHMS.join(', ')}` })
  readonly JWT_JWKS_ALGORITHM: (typeof KEY_SET_ALGORITHMS)[number] = 'RS256';

  @Integer({ min: 0, max: 5 })
  readonly JWT_CLOCK_TOLERANCE_SECONDS: number = 0;

  @IsOptional()
  @IsString()
  readonly JWT_AUDIENCE?: string;

  @IsString()
  readonly JWT_AUDIENCE_CLAIM: string = 'aud';

  @IsOptional()
  @IsString()
  readonly JWT_ISSUER?: string;

  @ByProvider()
  readonly JWT_ROLE_CLAIM: string = 'role';

  @RoleNames()
  @ByProvider()
  readonly JWT_ROLE_NAMES?: Readonly<Record<string, Role>>;

  @IsIn(['postgres', 'redis'], { message: 'must be postgres or redis' })
  readonly GRAB_ACK: 'postgres' | 'redis' = 'postgres';

  @Integer({ min: 1, max: 60_000 })
  readonly CONFIRM_TIMEOUT_MS: number = 3000;

  @Integer({ min: 1, max: 60_000 })
  readonly CONFIRM_WAIT_MAX_MS: number = 2000;

  @Integer({ min: 1, max: 1_000_000 })
  readonly ACTIVITIES_PER_SPONSOR_MAX: number = 1000;

  @Integer({ min: 1_000, max: 1_000_000_000 })
  readonly PACKETS_PER_SPONSOR_DAILY_MAX: number = 1_000_000;

  @IsOptional()
  @Amount()
  readonly SENDER_LARGEST_PACKET?: string;

  @IsOptional()
  @Integer({ min: 1, max: 1_000_000 })
  readonly SENDER_PACKETS_MAX?: number;

  @IsOptional()
  @Integer({ min: 1, max: 1_000_000 })
  readonly SENDER_ACTIVITIES_DAILY_MAX?: number;

  @IsOptional()
  @Amount()
  readonly SENDER_SUM_DAILY_MAX?: string;

  @Integer({ min: 1, max: 10_000_000 })
  readonly JOURNAL_ENTRIES_MAX: number = 10_000;

  @Integer({ min: 1, max: 10_000_000 })
  readonly WAITLIST_LENGTH_MAX: number = 100_000;

  @Integer({ min: 10, max: 3_600_000 })
  readonly SWEEP_INTERVAL_MS: number = 1000;

  @Integer({ min: 0, max: 3_600_000 })
  readonly SWEEP_AGE_MS: number = 5000;

  @Integer({ min: 0, max: 604_800 })
  readonly ENDED_KEPT_SECONDS: number = 3600;

  @RandomKey()
  readonly CLAIM_LOG_KEY?: string;

  @FormerSigningSeed()
  @Beside('CLAIM_LOG_KEY')
  readonly CLAIM_LOG_KEY_PREVIOUS?: string;

  @WitnessKeys()
  readonly CLAIM_LOG_WITNESSES: readonly string[] = [];

  @RandomKey()
  readonly CODE_SEAL_KEY?: string;

  @RandomKey()
  @Beside('CODE_SEAL_KEY')
  readonly CODE_SEAL_KEY_PREVIOUS?: string;

  @RandomKey()
  readonly ERASURE_KEY?: string;

  @RandomKey()
  @Beside('ERASURE_KEY')
  readonly ERASURE_KEY_PREVIOUS?: string;

  @Integer({ min: 0, max: 36_500 })
  readonly ERASURE_KEEP_DAYS: number = 30;

  @IsOptional()
  @IsString()
  readonly ERASURE_LEDGER?: string;

  @Integer({ min: 1, max: 1_000_000 })
  readonly PARTITION_ACTIVITIES: number = 10_000;

  @IsOptional()
  @IsString()
  readonly ARCHIVE_DIR?: string;

  @Integer({ min: 1, max: 36_500 })
  readonly ARCHIVE_AFTER_DAYS: number = 365;

  @Integer({ min: 1, max: 36_500 })
  readonly AUDIT_KEPT_DAYS: number = 730;

  @Integer({ min: 1, max: 36_500 })
  readonly HISTORY_KEPT_DAYS: number = 92;

  /** Verification looks back one hour: every deposit of that hour must still have its key. */
  @Integer({ min: 3600, max: 31_536_000 })
  readonly IDEMPOTENCY_KEPT_SECONDS: number = 86_400;

  @IsOptional()
  @Amount()
  readonly APPROVAL_ABOVE?: string;

  @IsOptional()
  @Amount()
  readonly APPROVAL_ABOVE_DAILY?: string;

  @Integer({ min: 60, max: 31_536_000 })
  readonly APPROVAL_VALID_SECONDS: number = 86_400;

  @Integer({ min: 1, max: 3_600_000 })
  readonly CLOCK_SKEW_MAX_MS: number = 1000;

  @Integer({ min: 1, max: 64 })
  readonly SETTLEMENT_CONCURRENCY: number = 2;

  @Integer({ min: 1, max: 100 })
  readonly SETTLEMENT_ATTEMPTS_MAX: number = 5;

  @Integer({ min: 1, max: 1_000_000_000 })
  readonly RATE_LIMIT_USER_PER_SECOND: number = 100;

  @Integer({ min: 1, max: 1_000_000_000 })
  readonly RATE_LIMIT_ADDRESS_PER_SECOND: number = 10_000;

  @Integer({ min: 0, max: 1_000_000 })
  readonly EVENT_CONNECTIONS_MAX: number = 20_000;

  @Integer({ min: 0, max: 1_000_000 })
  readonly GATEWAY_CONNECTIONS_MAX: number = 20_000;

  @Integer({ min: 1, max: 1_000_000 })
  readonly GATEWAY_CONNECTIONS_PER_USER_MAX: number = 5;

  @Integer({ min: 1, max: 1_000_000 })
  readonly GATEWAY_CONNECTIONS_PER_ADDRESS_MAX: number = 5000;

  @Integer({ min: 100, max: 10_000_000 })
  readonly NOTIFICATIONS_MAX: number = 100_000;

  @Integer({ min: 100, max: 60_000 })
  readonly WEBHOOK_TIMEOUT_MS: number = 5000;

  @Integer({ min: 1, max: 15 })
  readonly WEBHOOK_ATTEMPTS_MAX: number = 8;

  @Integer({ min: 1, max: 600_000 })
  readonly WEBHOOK_BACKOFF_MS: number = 5000;

  @Integer({ min: 1, max: 36_500 })
  readonly WEBHOOK_DEAD_KEPT_DAYS: number = 90;

  @Integer({ min: 1, max: 64 })
  readonly WEBHOOK_CONCURRENCY: number = 4;

  @Integer({ min: 1, max: 1_000_000 })
  readonly WEBHOOK_BACKLOG_MAX: number = 10_000;

  @Switch()
  @NotInProduction()
  readonly WEBHOOK_PRIVATE_ADDRESSES: boolean = false;

  @Origins()
  readonly CORS_ORIGINS: readonly string[] = [];

  @IsIn(['on', 'off'], { message: 'must be on or off' })
  readonly WEB: 'on' | 'off' = 'on';

  @Switch()
  @NotInProduction()
  @Needs('JWT_SECRET')
  readonly RAIN_GUESTS: boolean = false;

  @SecureUrl()
  readonly OIDC_ISSUER?: string;

  @RequiredBeside('OIDC_ISSUER')
  readonly OIDC_CLIENT_ID?: string;

  @Matches(/(^| )openid( |$)/, { message: 'must include openid' })
  readonly OIDC_SCOPE: string = 'openid';

  @Beside('OIDC_ISSUER')
  readonly OIDC_AUDIENCE?: string;

  @Beside('OIDC_ISSUER')
  readonly OIDC_RESOURCE?: string;

  @OnlyInDevelopment()
  @SecureUrl()
  readonly DEMO_FAULTS_URL?: string;

  @Trusted()
  readonly TRUSTED_PROXIES: TrustedProxies = [];

  @Integer({ min: 100, max: 600_000 })
  readonly SHUTDOWN_TIMEOUT_MS: number = 8000;

  @IsOptional()
  @ServiceUrl('http', 'https')
  readonly OTEL_EXPORTER_OTLP_ENDPOINT?: string;

  @Ratio()
  readonly OTEL_TRACES_SAMPLER_ARG: number = 1;

  @IsIn(LOG_LEVELS, { message: `must be one of ${LOG_LEVELS.join(', ')}` })
  readonly LOG_LEVEL: (typeof LOG_LEVELS)[number] = 'info';
}
