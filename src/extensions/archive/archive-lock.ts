import type { DataSource } from 'typeorm';
import { withSessionLock } from '../../platform/postgres';

/** Arbitrary, but unique among the advisory locks. */
const ARCHIVE_LOCK = 7_264_002;

/**
 * Two archives would write the same files, and one that is written between the files and the database of an erasure
 * would keep the ids for good.
 */
export const holdFiles = <T>(dataSource: DataSource, work: () => Promise<T>): Promise<T> =>
  withSessionLock(
    dataSource,
    ARCHIVE_LOCK,
    () => Promise.reject(new Error('Another archive is running.')),
    work,
  );
