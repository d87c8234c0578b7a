import {
  type BeforeApplicationShutdown,
  Injectable,
  type INestApplicationContext,
  Logger,
} from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { waitFor } from '../../../test/harness/engines';
import { AppConfig, ConfigModule } from '../config';
import { Metrics, TelemetryModule } from '../telemetry';
import { Repeats } from './task-catalog';
import { ScheduleModule } from './schedule.module';

@Injectable()
class Sample implements BeforeApplicationShutdown {
  runs = 0;
  underWay = 0;
  underWayAtShutdown?: number;
  wasAborted = false;

  @Repeats('Steady', 1)
  async steady(): Promise<void> {
    this.runs += 1;
    await Promise.resolve();
  }

  @Repeats('Failing', 'SWEEP_INTERVAL_MS')
  async failing(): Promise<void> {
    await Promise.reject(new Error('no luck'));
  }

  /** Ends a moment after it is aborted. */
  @Repeats('Long', 1)
  async long(stopping: AbortSignal): Promise<void> {
    this.underWay += 1;
    await new Promise((resolve) => stopping.addEventListener('abort', resolve));
    await new Promise((resolve) => setImmediate(resolve));
    this.wasAborted = stopping.aborted;
    this.underWay -= 1;
  }

  beforeApplicationShutdown(): void {
    this.underWayAtShutdown = this.underWay;
  }
}

describe('the schedule', () => {
  let app: INestApplicationContext;
  let sample: Sample;
  let metrics: Metrics;
  let logged: string[];

  beforeEach(async () => {
    logged = [];
    jest.spyOn(Logger.prototype, 'error').mockImplementation((line: string) => void logged.push(line));
    const config = Object.assign(new AppConfig(), { SWEEP_INTERVAL_MS: 1 });
    const module = await Test.createTestingModule({
      imports: [ConfigModule.forRoot(config), TelemetryModule, ScheduleModule],
      providers: [Sample],
    }).compile();
    app = await module.init();
    sample = app.get(Sample);
    metrics = app.get(Metrics);
  });

  afterEach(async () => {
    await app.close();
    jest.restoreAllMocks();
  });

  const measured = async (metric: string, task: string): Promise<number | undefined> => {
    const value = new RegExp(`^${metric}{task="${task}"} (\\S+)$`, 'm').exec(await metrics.expose());
    return value ? Number(value[1]) : undefined;
  };

  it("the schedule runs the marked methods of its program's classes again and again", async () => {
    await waitFor(() => sample.runs > 3, { what: 'runs' });
  });

  it('a metric says when each task last succeeded, and another how long that run took', async () => {
    await waitFor(() => measured('hongbao_task_last_success_timestamp_seconds', 'Steady'), {
      what: 'a success',
    });
    const at = await measured('hongbao_task_last_success_timestamp_seconds', 'Steady');
    expect(Math.abs(at! - Date.now() / 1_000)).toBeLessThan(60);
    expect(await measured('hongbao_task_last_success_duration_seconds', 'Steady')).toBeGreaterThanOrEqual(0);
    expect(await measured('hongbao_task_last_success_timestamp_seconds', 'Failing')).toBeUndefined();
  });

  it('a failed run is logged, and another run follows', async () => {
    await waitFor(() => logged.length > 3, { what: 'failed runs' });
    expect(logged[3]).toMatch(/^Failing failed: Error: no luck\n +at /);
  });

  it('a run in progress is aborted, and has ended before anything else is shut down', async () => {
    expect(sample.underWay).toBe(1);
    await app.close();
    expect(sample).toMatchObject({ wasAborted: true, underWay: 0, underWayAtShutdown: 0 });
    const { runs } = sample;
    await new Promise((resolve) => setImmediate(resolve));
    expect(sample.runs).toBe(runs);
  });

  it('two tasks with the same name are refused', () => {
    expect(() => Repeats('Steady', 1)(sample, 'steady')).toThrow('Task Steady is defined twice.');
  });
});
