const API = 'job="hongbao-api",instance="a"';
const WORKER = 'job="hongbao-worker",instance="w"';

/** Seconds between two values of a series, and two evaluations. */
export const STEP_SECONDS = 30;

/** Every alert has passed its `for` by then. */
export const EVAL_MINUTES = 12;

/** Values of each series, one every 30 s, in promtool's notation: `0+5x60` rises by five sixty times. */
export type Series = Readonly<Record<string, string>>;

const FLAT = 'x60';
const always = (value: number): string => `${value}${FLAT}`;

export const HEALTHY: Series = {
  [`up{${API}}`]: always(1),
  [`up{${WORKER}}`]: always(1),
  [`hongbao_http_requests_total{${API}}`]: '0+3000x60',
  [`hongbao_http_problems_total{${API},status="503",code="grab.dispenser_away"}`]: always(3),
  [`hongbao_http_problems_total{${API},status="503",code="health.not_ready"}`]: '0+300x60',
  [`hongbao_http_problems_total{${API},status="404",code="activity.not_found"}`]: '0+300x60',
  [`hongbao_http_problems_total{${API},status="500",code="internal"}`]: always(2),
  [`hongbao_grabs_total{${API},outcome="won"}`]: '0+100x60',
  [`hongbao_grabs_total{${API},outcome="reserved"}`]: always(7),
  [`hongbao_grab_duration_seconds_bucket{${API},outcome="won",le="0.1"}`]: '0+100x60',
  [`hongbao_grab_duration_seconds_bucket{${API},outcome="won",le="1"}`]: '0+100x60',
  [`hongbao_grab_duration_seconds_bucket{${API},outcome="won",le="+Inf"}`]: '0+100x60',
  [`hongbao_redis_corrections_total{${API},verdict="closed"}`]: '0+1x60',
  [`hongbao_redis_corrections_total{${API},verdict="taken"}`]: always(4),
  [`hongbao_journal_oldest_seconds{${API},shard="3"}`]: always(2),
  [`hongbao_journal_longest_entries{${API}}`]: always(4000),
  [`hongbao_journal_max_entries{${API}}`]: always(10_000),
  [`hongbao_journal_quarantine_entries{${API}}`]: always(0),
  [`hongbao_unsettled_oldest_seconds{${WORKER}}`]: always(20),
  [`hongbao_settlement_duration_seconds_count{${WORKER},result="failed"}`]: always(9),
  [`hongbao_claims_settled_without_queue_total{${WORKER}}`]: always(9),
  [`hongbao_settlement_queue_jobs{${WORKER},state="wait"}`]: '300-4x60',
  [`hongbao_dead_letters_open{${WORKER},reason="wallet_frozen"}`]: always(0),
  [`hongbao_activities_unbalanced{${WORKER}}`]: always(0),
  [`hongbao_claim_log_behind_seconds{${WORKER}}`]: always(2),
  [`hongbao_claim_log_key_foreign{${WORKER}}`]: always(0),
  [`hongbao_erasures_oldest_seconds{${WORKER}}`]: always(600_000),
  [`hongbao_claim_log_witness_behind_seconds{${WORKER},witness="w1"}`]: always(60),
  [`hongbao_payout_circuit_open{${WORKER},channel="1"}`]: '0x8 1x15 0x35',
  [`hongbao_payouts_oldest_seconds{${WORKER},channel="1",state="review"}`]: always(90_000),
  [`hongbao_payouts_oldest_seconds{${WORKER},channel="1",state="unknown"}`]: always(3_500),
  [`hongbao_payouts_oldest_seconds{${WORKER},channel="1",state="needs-user"}`]: always(80_000),
  [`hongbao_payout_findings_open{${WORKER},channel="1"}`]: always(0),
  [`hongbao_unsent_credits_overdue_seconds{${WORKER},channel="1"}`]: always(500),
  [`hongbao_notifications_dropped_total{${API}}`]: always(5),
  [`hongbao_webhook_queue_jobs{${WORKER}}`]: '3000-9x60',
  [`hongbao_webhook_undelivered_messages{${WORKER},status="dead"}`]: always(0),
  [`hongbao_webhook_undelivered_messages{${WORKER},status="waiting"}`]: always(50),
  [`hongbao_series_occurrences_total{${API},result="created"}`]: '0+1x60',
  [`hongbao_series_occurrences_total{${API},result="missed"}`]: always(2),
  [`hongbao_series_occurrences_total{${API},result="paused"}`]: '0+1x60',
  [`hongbao_series_overdue_seconds{${API}}`]: always(2),
  [`hongbao_engine_up{${API},engine="redis"}`]: always(1),
  [`hongbao_engine_up{${WORKER},engine="postgres"}`]: always(1),
  [`hongbao_shard_healthy{${API},shard="3"}`]: always(1),
  [`hongbao_redis_trusted{${API}}`]: always(1),
  [`hongbao_redis_foreign{${API}}`]: always(0),
  [`hongbao_redis_memory_used_ratio{${API}}`]: always(0.6),
  [`hongbao_postgres_history_changed{${API}}`]: always(0),
  [`hongbao_postgres_durable{${API}}`]: always(1),
  [`hongbao_postgres_disk_writable{${API}}`]: always(1),
  [`hongbao_postgres_transactions_left{${API}}`]: always(2e9),
  [`hongbao_postgres_pool_wait_seconds_bucket{${API},le="0.001"}`]: '0+100x60',
  [`hongbao_postgres_pool_wait_seconds_bucket{${API},le="+Inf"}`]: '0+100x60',
  [`hongbao_clock_skew_seconds{${API}}`]: always(-0.4),
  [`hongbao_task_last_success_timestamp_seconds{${WORKER},task="CloseDue"}`]: '0+30x60',
  [`hongbao_task_last_success_timestamp_seconds{${WORKER},task="ReceiveMessages"}`]: always(0),
  [`hongbao_log_lines_lost_total{${API}}`]: always(3),
  [`hongbao_nodejs_eventloop_lag_p99_seconds{${API}}`]: always(0.02),
};

/** The series that make each alert fire, and the labels that it then has besides its severity. */
export const HARMS: Readonly<Record<string, [Series, labels?: Record<string, string>]>> = {
  HongbaoPaymentsLate: [{ [`hongbao_unsettled_oldest_seconds{${WORKER}}`]: '0+10x60' }],
  HongbaoSettlementFails: [
    { [`hongbao_settlement_duration_seconds_count{${WORKER},result="failed"}`]: '0+1x60' },
  ],
  HongbaoSettledWithoutQueue: [{ [`hongbao_claims_settled_without_queue_total{${WORKER}}`]: '0+10x60' }],
  HongbaoSettlementQueueGrows: [{ [`hongbao_settlement_queue_jobs{${WORKER},state="wait"}`]: '0+10x60' }],
  HongbaoDeadLettersOpen: [
    { [`hongbao_dead_letters_open{${WORKER},reason="wallet_frozen"}`]: always(1) },
    { reason: 'wallet_frozen' },
  ],
  HongbaoClaimsHeldLong: [{ [`hongbao_held_oldest_seconds{${WORKER}}`]: '86300+60x60' }],
  HongbaoBooksUnbalanced: [{ [`hongbao_activities_unbalanced{${WORKER}}`]: always(1) }],
  HongbaoClaimLogStalled: [{ [`hongbao_claim_log_behind_seconds{${WORKER}}`]: '0+30x60' }],
  HongbaoClaimLogKeyForeign: [{ [`hongbao_claim_log_key_foreign{${WORKER}}`]: always(1) }],
  HongbaoErasuresLate: [{ [`hongbao_erasures_oldest_seconds{${WORKER}}`]: '604000+60x60' }],
  HongbaoWitnessSilent: [
    { [`hongbao_claim_log_witness_behind_seconds{${WORKER},witness="w1"}`]: '590+30x60' },
    { witness: 'w1' },
  ],
  HongbaoPayoutChannelStalled: [
    { [`hongbao_payout_circuit_open{${WORKER},channel="1"}`]: always(1) },
    { channel: '1' },
  ],
  HongbaoPayoutsUnknown: [
    { [`hongbao_payouts_oldest_seconds{${WORKER},channel="1",state="unknown"}`]: '3500+30x60' },
    { channel: '1' },
  ],
  HongbaoPayoutFindingsOpen: [
    { [`hongbao_payout_findings_open{${WORKER},channel="1"}`]: always(2) },
    { channel: '1' },
  ],
  HongbaoCreditsUnsent: [
    { [`hongbao_unsent_credits_overdue_seconds{${WORKER},channel="1"}`]: '0+120x60' },
    { channel: '1' },
  ],
  HongbaoPayoutsStuck: [
    { [`hongbao_payouts_oldest_seconds{${WORKER},channel="1",state="needs-user"}`]: '86300+30x60' },
    { channel: '1' },
  ],
  HongbaoGrabsSlow: [
    {
      [`hongbao_grab_duration_seconds_bucket{${API},outcome="won",le="0.1"}`]: '0+90x60',
      [`hongbao_grab_duration_seconds_bucket{${API},outcome="won",le="1"}`]: '0+90x60',
      [`hongbao_grab_duration_seconds_bucket{${API},outcome="won",le="2.5"}`]: '0+100x60',
    },
    { outcome: 'won' },
  ],
  HongbaoGrabsUnconfirmed: [{ [`hongbao_grabs_total{${API},outcome="reserved"}`]: '0+1x60' }],
  HongbaoUnavailable: [
    { [`hongbao_http_problems_total{${API},status="503",code="grab.dispenser_away"}`]: '0+60x60' },
    { job: 'hongbao-api' },
  ],
  HongbaoErrors: [
    { [`hongbao_http_problems_total{${API},status="500",code="internal"}`]: '0x22 1x37' },
    { job: 'hongbao-api', code: 'internal' },
  ],
  HongbaoRedisCorrected: [{ [`hongbao_redis_corrections_total{${API},verdict="taken"}`]: '0x20 1x39' }],
  HongbaoJournalOld: [{ [`hongbao_journal_oldest_seconds{${API},shard="3"}`]: '0+5x60' }],
  HongbaoJournalFills: [{ [`hongbao_journal_longest_entries{${API}}`]: always(5001) }],
  HongbaoJournalUnreadable: [{ [`hongbao_journal_quarantine_entries{${API}}`]: always(1) }],
  HongbaoNotificationsDropped: [{ [`hongbao_notifications_dropped_total{${API}}`]: '0+9x60' }],
  HongbaoWebhookQueueGrows: [{ [`hongbao_webhook_queue_jobs{${WORKER}}`]: '0+90x60' }],
  HongbaoSeriesOccurrenceMissed: [
    { [`hongbao_series_occurrences_total{${API},result="missed"}`]: '0x9 1x51' },
  ],
  HongbaoSeriesOverdue: [{ [`hongbao_series_overdue_seconds{${API}}`]: '590+30x60' }],
  HongbaoWebhookDeadLetters: [
    { [`hongbao_webhook_undelivered_messages{${WORKER},status="dead"}`]: always(1) },
  ],
  HongbaoEngineAway: [{ [`hongbao_engine_up{${API},engine="redis"}`]: always(0) }, { engine: 'redis' }],
  HongbaoShardUnhealthy: [{ [`hongbao_shard_healthy{${API},shard="3"}`]: always(0) }, { shard: '3' }],
  HongbaoRedisUntrusted: [{ [`hongbao_redis_trusted{${API}}`]: always(0) }],
  HongbaoRedisForeign: [{ [`hongbao_redis_foreign{${API}}`]: always(1) }],
  HongbaoRedisFull: [{ [`hongbao_redis_memory_used_ratio{${API}}`]: always(0.75) }],
  HongbaoPostgresHistoryChanged: [{ [`hongbao_postgres_history_changed{${API}}`]: always(1) }],
  HongbaoPostgresNotDurable: [{ [`hongbao_postgres_durable{${API}}`]: always(0) }],
  HongbaoPostgresDiskFull: [{ [`hongbao_postgres_disk_writable{${API}}`]: always(0) }],
  HongbaoPostgresWraparound: [{ [`hongbao_postgres_transactions_left{${API}}`]: always(9e7) }],
  HongbaoPoolSaturated: [
    {
      [`hongbao_postgres_pool_wait_seconds_bucket{${API},le="0.001"}`]: '0+90x60',
      [`hongbao_postgres_pool_wait_seconds_bucket{${API},le="0.5"}`]: '0+100x60',
    },
    { job: 'hongbao-api', instance: 'a' },
  ],
  HongbaoClockSkew: [{ [`hongbao_clock_skew_seconds{${API}}`]: always(-1.2) }],
  HongbaoProgramMissing: [{ [`up{${WORKER}}`]: always(0) }, { job: 'hongbao-worker' }],
  HongbaoScrapeMissing: [{ [`up{${API}}`]: always(0) }, { job: 'hongbao-api', instance: 'a' }],
  // The task is stuck in one of two processes behind one port; the other process must not hide that.
  HongbaoTaskStalled: [
    {
      [`hongbao_task_last_success_timestamp_seconds{${API},process="1",task="EngineWatch"}`]: '0+30x60',
      [`hongbao_task_last_success_timestamp_seconds{${API},process="2",task="EngineWatch"}`]: '0+30x5 150x55',
    },
    { job: 'hongbao-api', instance: 'a', process: '2', task: 'EngineWatch' },
  ],
  HongbaoLogLinesLost: [
    { [`hongbao_log_lines_lost_total{${API}}`]: '0+1x60' },
    { job: 'hongbao-api', instance: 'a' },
  ],
  HongbaoBudgetBurnsFast: [
    { [`hongbao_http_problems_total{${API},status="503",code="grab.dispenser_away"}`]: '0+60x60' },
    { slo: 'availability' },
  ],
  HongbaoBudgetBurnsSlowly: [
    { [`hongbao_unsettled_oldest_seconds{${WORKER}}`]: '20x9 31 20x50' },
    { slo: 'payment' },
  ],
  HongbaoEventLoopLags: [
    { [`hongbao_nodejs_eventloop_lag_p99_seconds{${API}}`]: always(0.3) },
    { job: 'hongbao-api', instance: 'a' },
  ],
};
