import type { Chance } from './chance';
import type { System } from './system';

/** What a fault may use of the round it strikes in. */
export interface Scene {
  readonly system: System;
  readonly chance: Chance;
  /** The activity of the round; empty until it exists. */
  readonly activityId: string;
  /** Over how many it is dealt. */
  readonly parts: number;
  /** Users who will tap. */
  readonly userIds: readonly string[];
  /** Users whom nobody can pay, until the kind is cured. */
  readonly poisoned: string[];
  /** Closes the activity as an operator does, and does not give up before it is closed. */
  close(): Promise<void>;
  /** For the line of the round: what was hit. */
  hit(what: string): void;
  /** Counts a `kill -9`. */
  killed(): void;
  /** What was told between these two instants may be lost, because the only server that knew it is lost. */
  forgive(fromMs: number, toMs: number): void;
}

/**
 * One kind of harm. `strike` is called in the middle of the load and may be called again while money is on its way; it
 * mends what it broke, because in production somebody restarts a dead server. Recovering from the harm is left to the
 * system.
 */
export interface Kind {
  readonly name: string;
  /** How often it comes in a bag that holds each kind as often as its weight says. */
  readonly weight: number;
  /** Redis forgets something that it has told. */
  readonly amnesia?: boolean;
  /** The blow itself closes the activity, while people still tap. */
  readonly closesEarly?: boolean;
  /** An operator closes the activity, never the clock. */
  readonly closedByHand?: boolean;
  /** More people come than there are packets, some wait, and packets are added. */
  readonly sellsOut?: boolean;
  /** What an engine says about the window is not what the clock of this host says. */
  readonly stepsClock?: boolean;
  /** The program itself throws, as only a bug would: then 500 is the right answer. */
  readonly throws?: boolean;
  /** The activity opens a second after its creation, and people come before. */
  readonly opensLate?: boolean;
  /** Its activity is dealt over parts, always or never; by chance unless it says so. */
  readonly overParts?: boolean;
  /** Played only where the programs of another version were given, which may not know parts. */
  readonly needsOtherVersion?: boolean;
  /** Redis is a cluster. */
  readonly onCluster?: boolean;
  /** Takes too long for the smoke run, or longer than what it shows beside its likes is worth there. */
  readonly long?: boolean;
  /** Before the activity is created. */
  prepare?(scene: Scene): Promise<void>;
  strike(scene: Scene): Promise<void>;
  /** After the load and before the books are checked: for harm that lasts. */
  mend?(scene: Scene): Promise<void>;
  /** The dead letters of the poisoned users are declared void, under another blow, instead of being replayed. */
  readonly voids?: boolean;
  /** After the dead letters of the poisoned users were found, and before they are dealt with. */
  cure?(scene: Scene): Promise<void>;
  /** After the close, and before people ask once more. */
  afterwards?(scene: Scene): Promise<void>;
  /** After everything else: whether the place to be hit was never reached. */
  missed?(scene: Scene): boolean;
}
