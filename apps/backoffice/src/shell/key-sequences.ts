/** How long the first key of a sequence waits for the second, in milliseconds. */
const sequenceMs = 900;

interface Press {
  key: string;
  ctrlKey: boolean;
  metaKey: boolean;
  altKey: boolean;
  shiftKey: boolean;
  timeStamp: number;
}

/** A key press in the words of shortcuts: `mod+k`, `shift+enter`, `g`, `?`. */
export function chordOf(press: Press): string {
  const key = press.key === " " ? "space" : press.key.toLowerCase();
  const mod = press.ctrlKey || press.metaKey;
  // Shift is a part of the character that a printable key makes; it is named only with other keys.
  const shift = press.shiftKey && (press.key.length > 1 || mod);
  return [mod ? "mod" : "", press.altKey ? "alt" : "", shift ? "shift" : "", key].filter(Boolean).join("+");
}

/** Recognises single chords and sequences of two. */
export function createKeySequences(): {
  /** The shortcut among `known` that this press completes, or null. */
  press: (press: Press, known: readonly string[]) => string | null;
} {
  let first: { chord: string; at: number } | null = null;
  return {
    press: (press, known) => {
      const chord = chordOf(press);
      const sequence = first !== null && press.timeStamp - first.at <= sequenceMs ? `${first.chord} ${chord}` : null;
      first = null;
      if (sequence !== null && known.includes(sequence)) return sequence;
      if (known.some((keys) => keys.startsWith(`${chord} `))) {
        first = { chord, at: press.timeStamp };
        return null;
      }
      return known.includes(chord) ? chord : null;
    },
  };
}

/** Whether key presses on this element are text. */
export function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target.isContentEditable) return true;
  if (target instanceof HTMLInputElement) return !["checkbox", "radio", "button", "submit"].includes(target.type);
  return target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement;
}
