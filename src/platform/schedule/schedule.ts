import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { AppConfig } from '../config';
import { Metrics } from '../telemetry';
import { RepeatingTask } from './repeating-task';
import { definedTasks, type Run, type TaskDefinition } from './task-catalog';

/**
 * Runs the tasks of this program from the moment when every module is ready. They end before
 * anything else is shut down, so that their owners can finish and connections are closed last.
 */
@Injectable()
export class Schedule implements OnApplicationBootstrap, OnModuleDestroy {
  private tasks: RepeatingTask[] = [];
  private readonly succeededAt;
  private readonly duration;

  constructor(
    private readonly discovery: DiscoveryService,
    private readonly config: AppConfig,
    metrics: Metrics,
  ) {
    this.succeededAt = metrics.gauge({
      name: 'hongbao_task_last_success_timestamp_seconds',
      help: 'When the last successful run of a repeating task ended',
      labelNames: ['task'],
    });
    this.duration = metrics.gauge({
      name: 'hongbao_task_last_success_duration_seconds',
      help: 'How long the last successful run of a repeating task took',
      labelNames: ['task'],
    });
  }

  onApplicationBootstrap(): void {
    const providers = this.discovery.getProviders().map(({ instance }) => instance as unknown);
    this.tasks = definedTasks().flatMap((task) =>
      providers.filter((one) => one instanceof task.owner).map((owner) => this.taskOf(task, owner)),
    );
    for (const task of this.tasks) task.start();
  }

  async onModuleDestroy(): Promise<void> {
    await Promise.all(this.tasks.map((task) => task.stop()));
  }

  private taskOf(task: TaskDefinition, owner: unknown): RepeatingTask {
    const { name, every, method } = task;
    const run = (owner as Record<string, Run>)[method]!.bind(owner);
    const intervalMs = typeof every === 'number' ? every : this.config[every];
    return new RepeatingTask(task, intervalMs, (stopping) => this.measure(name, () => run(stopping)));
  }

  private async measure(task: string, run: () => Promise<unknown>): Promise<void> {
    const end = this.duration.startTimer({ task });
    await run();
    end();
    this.succeededAt.setToCurrentTime({ task });
  }
}
