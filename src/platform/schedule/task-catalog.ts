import type { AppConfig } from '../config';

/**
 * One run. A run that works through a list must check the signal, which is aborted when the process
 * leaves.
 */
export type Run = (stopping: AbortSignal) => Promise<unknown>;

/** A method that a process calls again and again, if one of its modules provides the class. */
export interface TaskDefinition {
  readonly name: string;
  /** The pause between two runs: milliseconds, or the setting that holds them. */
  readonly every: number | IntervalSetting;
  /**
   * Logs each run that failed, with its stack; or only when runs begin to fail, and when they
   * succeed again.
   */
  readonly logs: 'failures' | 'changes';
  readonly owner: abstract new (...args: never[]) => object;
  readonly method: string;
}

type IntervalSetting = Extract<keyof AppConfig, `${string}_INTERVAL_MS`>;

const catalog = new Map<string, TaskDefinition>();

/**
 * Marks a public method that is called again and again while the process runs, and adds it to the
 * catalogue.
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

/** Returns the tasks of all programs, by their names. */
export function definedTasks(): TaskDefinition[] {
  return Array.from(catalog.values()).sort((a, b) => a.name.localeCompare(b.name));
}
