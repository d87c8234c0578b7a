import type { Chance } from './chance';
import type { System } from './system';

export interface Scene {
  readonly system: System;
  readonly chance: Chance;
  readonly activityId: string;
  readonly parts: number;
  readonly userIds: readonly string[];
  /** Users who cannot be paid until the harm is undone. */
  readonly poisoned: string[];
  close(): Promise<void>;
  hit(what: string): void;
  killed(): void;
  /** Allows answers between these instants to be lost with the only server that knew them. */
  forgive(fromMs: number, toMs: number): void;
}

/** A term that a round's rains may have in addition to those of a plain rain; see `terms.ts`. */
export type Term =
  'audience' | 'codes' | 'currencies' | 'erasures' | 'limit' | 'pace' | 'rehearsal' | 'tickets';

/**
 * One kind of harm. `strike` is called in the middle of the load, and perhaps again while money is on
 * its way. It restarts whatever it broke; recovery is left to the system.
 */
export interface Kind {
  readonly name: string;
  /** How often the kind is in the bag. */
  readonly weight: number;
  /** Redis forgets data behind answers that were given. */
  readonly amnesia?: boolean;
  /** The blow itself closes the activity, while users still tap. */
  readonly closesEarly?: boolean;
  /** An operator closes the activity, never the clock. */
  readonly closedByHand?: boolean;
  /** There are more users than packets, some of them wait, and packets are added. */
  readonly sellsOut?: boolean;
  /** By an engine's clock the window is not the same as by this host's clock. */
  readonly stepsClock?: boolean;
  /** Postgres comes back without its last commits. */
  readonly losesCommits?: boolean;
  /** The program itself throws, as only a bug would: then 500 is the right answer. */
  readonly throws?: boolean;
  /** The activity opens a second after its creation, and users come earlier. */
  readonly opensLate?: boolean;
  /** Whether the activity is dealt over parts; random if undefined. */
  readonly overParts?: boolean;
  /** The terms that its rains have; random if undefined. */
  readonly terms?: readonly Term[];
  /** All wins are paid out through a channel to a receiver. An operator closes the activity, so that many win. */
  readonly paysOut?: boolean;
  /** Needs the programs of another version, which may not know parts. */
  readonly needsOtherVersion?: boolean;
  /** Programs that do not know the terms of its rains run alongside, and may add packets unannounced. */
  readonly olderBeside?: boolean;
  readonly onCluster?: boolean;
  /** Takes too long for the smoke run, considering how little it adds to similar kinds. */
  readonly long?: boolean;
  /** Runs before the activity is created. */
  prepare?(scene: Scene): Promise<void>;
  strike(scene: Scene): Promise<void>;
  /** Runs after the load and before the books are checked, to undo harm that lasts. */
  mend?(scene: Scene): Promise<void>;
  /** The dead letters of the poisoned users are declared void while the harm strikes again. */
  readonly voids?: boolean;
  /** Runs after the poisoned users' dead letters are found, and before they are dealt with. */
  cure?(scene: Scene): Promise<void>;
  /** Runs after the close, before users ask once more. */
  afterwards?(scene: Scene): Promise<void>;
  /** Runs last. Returns true if the place to be hit was never reached. */
  missed?(scene: Scene): boolean;
}
