import type { AppConfig } from '../config';

/** A run through a list must check the signal, which is aborted when the process leaves. */
export type Run = (stopping: AbortSignal) => Promise<unknown>;

export interface TaskDefinition {
  readonly name: string;
  /** Milliseconds between two runs, or the setting that holds them. */
  readonly every: number | IntervalSetting;
  /** Each failed run with its stack, or only when runs begin to fail and succeed again. */
  readonly logs: 'failures' | 'changes';
  readonly owner: abstract new (...args: never[]) => object;
  readonly method: string;
}

type IntervalSetting = Extract<keyof AppConfig, `${string}_INTERVAL_MS`>;

const catalog = new Map<string, TaskDefinition>();

/**
 * Marks a public method that is called again and again while the process runs (decision 15).
 *
 * @example
 * @Repeats('ExpiredTokens', 'SWEEP_INTERVAL_MS')
 * async sweep(stopping: AbortSignal): Promise<void> {
 *   for (const page of await this.tokens.expired()) if (!stopping.aborted) await this.tokens.remove(page);
 * }
 */
export function Repeats(
  name: string,
  every: TaskDefinition['every'],
  { logs }: Pick<TaskDefinition, 'logs'> = { logs: 'failures' },
) {
  return <Method extends string>(owner: Record<Method, Run>, method: Method): void => {
    if (catalog.has(name)) throw new Error(`Task ${name} is defined twice.`);
    catalog.set(name, { name, every, logs, owner: owner.constructor as TaskDefinition['owner'], method });
  };
}

export function definedTasks(): TaskDefinition[] {
  return Array.from(catalog.values()).sort((a, b) => a.name.localeCompare(b.name));
}
