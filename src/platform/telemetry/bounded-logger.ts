import { ConsoleLogger, type ConsoleLoggerOptions, type LogLevel } from '@nestjs/common';

const WINDOW_MS = 1_000;

/** More kinds of lines than both programs have. External input must not fill the memory. */
const KINDS_MAX = 1_000;
const KIND_LENGTH_MAX = 200;

interface Window {
  readonly endsAtMs: number;
  suppressed: number;
}

/**
 * Writes at most one line of a kind per second, and with the next line how many were left out: while a server
 * is down, a full disk would be the next outage. Lines of a kind differ only in numbers.
 */
export class BoundedLogger extends ConsoleLogger {
  private readonly windows = new Map<string, Window>();
  private isMuted = false;

  /** @param nowMs a clock that never steps */
  constructor(
    options: ConsoleLoggerOptions,
    private readonly nowMs: () => number = () => performance.now(),
  ) {
    super(options);
  }

  protected override printMessages(
    messages: unknown[],
    context?: string,
    logLevel?: LogLevel,
    ...rest: [writeStreamType?: 'stdout' | 'stderr', errorStack?: unknown, params?: Record<string, unknown>]
  ): void {
    const leftOut = logLevel === 'fatal' ? 0 : this.admit(kindOf(messages, context, logLevel));
    this.isMuted = leftOut === undefined;
    if (leftOut === undefined) return;
    const lines = leftOut === 0 ? messages : [...messages, `${leftOut} lines like this one were left out.`];
    super.printMessages(lines, context, logLevel, ...rest);
  }

  protected override printStackTrace(stack: string): void {
    if (!this.isMuted) super.printStackTrace(stack);
  }

  /** Returns how many lines were left out before this one; undefined if it is itself left out. */
  private admit(kind: string): number | undefined {
    const nowMs = this.nowMs();
    const window = this.windows.get(kind);
    if (window && nowMs < window.endsAtMs) {
      window.suppressed += 1;
      return undefined;
    }
    if (this.windows.size >= KINDS_MAX) this.forget(nowMs);
    this.windows.set(kind, { endsAtMs: nowMs + WINDOW_MS, suppressed: 0 });
    return window?.suppressed ?? 0;
  }

  private forget(nowMs: number): void {
    for (const [kind, { endsAtMs }] of this.windows) if (nowMs >= endsAtMs) this.windows.delete(kind);
    if (this.windows.size >= KINDS_MAX) this.windows.clear();
  }
}

function kindOf(messages: readonly unknown[], context = '', logLevel = ''): string {
  const text = String(messages[0]).slice(0, KIND_LENGTH_MAX).replace(/\d+/g, '0');
  return `${logLevel} ${context} ${text}`;
}
