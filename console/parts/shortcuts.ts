/** Keys that do something on a page: `j`, or `g h`, which is g and then h. */
export interface Shortcut {
  /** As `KeyboardEvent.key` names them, with spaces in between. */
  keys: string
  /** What they do, for the list of shortcuts: `Next run`. */
  does: string
  run: () => void
}

/** A pressed key. */
export interface Press {
  key: string
  /** Whether Ctrl, Alt or the command key is held: such keys belong to the browser. */
  isHeld: boolean
  /** Whether the key belongs to what has the focus: a field, a menu, a dialog. */
  isTaken: boolean
  /** In milliseconds. */
  at: number
}

/** The first keys of a sequence, and when the last of them was pressed. */
export interface Begun {
  keys: string
  at: number
}

export const nothingBegun: Begun = { keys: '', at: 0 }

/** How long a sequence waits for its next key. */
const patienceMs = 1500

/** What a pressed key completes or begins. If two shortcuts have the same keys, the first one counts. */
export function hear(
  begun: Begun,
  press: Press,
  shortcuts: readonly Shortcut[],
): { begun: Begun; shortcut?: Shortcut } {
  if (press.isHeld || press.isTaken) return { begun: nothingBegun }
  const isNext = begun.keys !== '' && press.at - begun.at <= patienceMs
  const keys = isNext ? `${begun.keys} ${press.key}` : press.key
  const shortcut = shortcuts.find((each) => each.keys === keys)
  if (shortcut) return { begun: nothingBegun, shortcut }
  if (shortcuts.some((each) => each.keys.startsWith(`${keys} `))) return { begun: { keys, at: press.at } }
  return isNext ? hear(nothingBegun, press, shortcuts) : { begun: nothingBegun }
}
