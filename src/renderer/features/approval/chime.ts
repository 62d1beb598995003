/** Two short tones, only when a person has turned sound on; made here because nothing is fetched. */
export function chime(): void {
  try {
    const audio = new AudioContext();
    for (const [at, hz] of [
      [0, 660],
      [0.18, 880],
    ] as const) {
      const tone = audio.createOscillator();
      const gain = audio.createGain();
      tone.frequency.value = hz;
      gain.gain.setValueAtTime(0.08, audio.currentTime + at);
      gain.gain.exponentialRampToValueAtTime(0.001, audio.currentTime + at + 0.15);
      tone.connect(gain).connect(audio.destination);
      tone.start(audio.currentTime + at);
      tone.stop(audio.currentTime + at + 0.16);
    }
    setTimeout(() => void audio.close(), 800);
  } catch {
    // A machine without sound is no reason to hide a card.
  }
}
