import type { INestApplicationContext, Type } from '@nestjs/common';
import type { OpenAPIObject } from '@nestjs/swagger';
import type { Queue } from 'bullmq';
import type { DataSource, EntityManager } from 'typeorm';
import type { Computed, ComputedInvariant, Evidence, Invariant, Promised } from '../core/reconciliation';
import type { DeedDescription } from '../core/second-person';
import type { AppConfig } from '../platform/config';
import type { ApiDescription } from '../platform/http';
import type { SchemaPart } from '../platform/postgres';

/** Proves a file that an extension has written. */
export interface FileProof extends Promised {
  /** @throws Error with one line when the file cannot be read */
  proveFile(dataSource: DataSource, file: string): Promise<Computed>;
}

/** People whom pseudonyms replace, as the owner of the tables. */
export interface Forgotten {
  readonly dataSource: DataSource;
  readonly config: AppConfig;
  readonly report: (line: string) => void;
  /** Returns the value with pseudonyms in the fields that name people; the same one if it names none of them. */
  readonly renamed: <T>(value: T) => T;
  /** Those of all who are being forgotten. Files may have them already when a database is restored. */
  readonly pseudonyms: ReadonlySet<string>;
  /** A restored database lacks the records of files that were written after the backup. */
  readonly isRestored: boolean;
}

/** A claim of someone who is forgotten. */
export interface ForgottenClaim {
  readonly activityId: string;
  readonly packetNo: number;
}

/** A claim that a file has under this pseudonym. */
export interface ClaimInFile extends ForgottenClaim {
  readonly pseudonym: string;
}

/** How a file was rewritten. Digests are hexadecimal. */
export interface FileRevision {
  readonly file: string;
  readonly before: string;
  readonly after: string;
}

/** Data about people that an extension keeps outside the columns that `schema.people` names. */
export interface Forgetting {
  /** Deletes what it keeps about claims. */
  forgetClaims?(tx: EntityManager, claims: readonly ForgottenClaim[]): Promise<void>;
  /**
   * Runs work while nobody else writes or removes its files.
   * @throws Error with one line if someone does
   */
  holdFiles?<T>(dataSource: DataSource, work: () => Promise<T>): Promise<T>;
  /**
   * Finishes what a killed run has left of its files, and writes pseudonyms to them.
   * @returns the claims that they have under a pseudonym of those who are being forgotten
   * @throws Error with one line if a file cannot be read or is not what was recorded
   */
  forgetInFiles?(forgotten: Forgotten): Promise<readonly ClaimInFile[]>;
  /** All revisions of its files, for the ledger of erasures. */
  fileRevisions?(dataSource: DataSource): Promise<readonly FileRevision[]>;
  /** Records in a restored database how files were revised after the backup. */
  adoptRevisions?(dataSource: DataSource, revisions: readonly FileRevision[]): Promise<void>;
}

/**
 * What a folder of `src/extensions` brings. The programs, the schema and the API document fold over
 * the list in `index.ts`: an extension whose line is deleted there is gone.
 *
 * @example
 * export const ticket: Extension = { api: TicketApiModule, schema: ticketSchema };
 */
export interface Extension {
  /** Extensions whose code it imports. */
  readonly needs?: readonly Extension[];
  /** Joins the process that answers clients. */
  readonly api?: Type;
  /** Joins the process that settles, sweeps and closes. */
  readonly worker?: Type;
  readonly schema?: SchemaPart;
  /** Prove the money that it brings. */
  readonly invariants?: readonly (ComputedInvariant | Invariant)[];
  /** Its rows that invariants of the core or of other extensions read. */
  readonly evidence?: Evidence;
  readonly forgetting?: Forgetting;
  /** For `verify --archive`. */
  readonly fileProof?: FileProof;
  /** The queues of an API, for the board that shows them. */
  readonly queues?: (api: INestApplicationContext) => readonly Queue[];
  /** Its additions to the API document, apart from its operations. */
  readonly description?: Pick<ApiDescription, 'webhooks' | 'asyncApi'>;
  /** Its deeds that may need a second person. */
  readonly deeds?: readonly DeedDescription[];
  /**
   * Changes the API document where its own decorators cannot.
   * @param deeds those of the core and of all extensions
   */
  readonly describe?: (document: OpenAPIObject, deeds: readonly DeedDescription[]) => void;
}
