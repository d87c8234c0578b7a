import type { Writable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { Metrics } from './metrics';

/** Further lines are lost while this many bytes wait for a reader. */
const WAITING_BYTES_MAX = 1_048_576;

type Done = (error?: Error | null) => void;
type Write = (chunk: string | Uint8Array, encoding?: BufferEncoding | Done, done?: Done) => boolean;

/** The process writes some lines before it has metrics. */
let lost = 0;

/**
 * Lets a stream of log lines lose those that it cannot write. A full disk, or a reader that has gone away,
 * would end the process; a reader that has stalled would fill the memory.
 */
export function mayLoseLines(stream: Writable): void {
  const write = stream.write.bind(stream) as Write;
  const lossy: Write = (chunk, encoding, done) => {
    const [coding, callback] = typeof encoding === 'function' ? [undefined, encoding] : [encoding, done];
    const count: Done = (error) => {
      if (error) lost += 1;
      callback?.(error);
    };
    if (stream.writableLength <= WAITING_BYTES_MAX) return write(chunk, coding, count);
    process.nextTick(count, new Error('the reader of the log stands still'));
    return false;
  };
  stream.write = lossy as Writable['write'];
  stream.on('error', () => undefined);
}

@Injectable()
export class LostLines {
  constructor(metrics: Metrics) {
    metrics.counter({
      name: 'hongbao_log_lines_lost_total',
      help: 'Lines of the log that could not be written',
      collect() {
        this.reset();
        this.inc(lost);
      },
    });
  }
}
