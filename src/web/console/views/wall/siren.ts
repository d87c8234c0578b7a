const TONES_HZ = [880, 660, 880];
const TONE_SECONDS = 0.25;
const VOLUME = 0.4;
const GRANTED_WITHIN_MS = 500;

/** Plays three tones, without a file. */
export class Siren {
  private context?: AudioContext;

  get isArmed(): boolean {
    return this.context?.state === 'running';
  }

  /**
   * Browsers allow sound after a click on the page.
   * @returns whether it can be heard
   */
  async arm(): Promise<boolean> {
    this.context ??= new AudioContext();
    // Without a click this would wait for one.
    await Promise.race([this.context.resume(), new Promise((go) => setTimeout(go, GRANTED_WITHIN_MS))]);
    return this.isArmed;
  }

  sound(): void {
    if (!this.context || !this.isArmed) return;
    const { context } = this;
    const gain = new GainNode(context, { gain: VOLUME });
    gain.connect(context.destination);
    TONES_HZ.forEach((frequency, i) => {
      const tone = new OscillatorNode(context, { frequency });
      const startsAt = context.currentTime + i * TONE_SECONDS;
      tone.connect(gain);
      tone.start(startsAt);
      tone.stop(startsAt + TONE_SECONDS);
    });
  }
}
