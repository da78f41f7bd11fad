import test from 'ava'
import { hear, nothingBegun, type Press } from '../../console/parts/shortcuts.ts'

const shortcuts = ['j', '?', 'g h', 'g r', 'r'].map((keys) => ({ keys, does: keys, run: () => {} }))

const pressed = (key: string, more: Partial<Press> = {}): Press => ({
  key,
  isHeld: false,
  isTaken: false,
  at: 0,
  ...more,
})

/** The shortcuts that a series of pressed keys completes. */
function heard(presses: Press[]): string[] {
  const found: string[] = []
  let begun = nothingBegun
  for (const press of presses) {
    const next = hear(begun, press, shortcuts)
    begun = next.begun
    if (next.shortcut) found.push(next.shortcut.keys)
  }
  return found
}

const table: [string, Press[], string[]][] = [
  ['a single key', [pressed('j')], ['j']],
  ['a key each time it is pressed', [pressed('j'), pressed('j')], ['j', 'j']],
  ['two keys in order', [pressed('g'), pressed('h')], ['g h']],
  ['a sequence as a sequence, although its second key is a shortcut itself', [pressed('g'), pressed('r')], ['g r']],
  ['the second key alone, if the first was long ago', [pressed('g'), pressed('r', { at: 1501 })], ['r']],
  ['a sequence just in time', [pressed('g'), pressed('r', { at: 1500 })], ['g r']],
  ['a key that continues nothing as a first key', [pressed('g'), pressed('j')], ['j']],
  ['a sequence that begins anew', [pressed('g'), pressed('g'), pressed('h')], ['g h']],
  ['nothing in other keys', [pressed('x'), pressed('h')], []],
  ['nothing while somebody types', [pressed('j', { isTaken: true })], []],
  ['nothing of a combination of the browser', [pressed('j', { isHeld: true })], []],
  ['no sequence around what somebody types', [pressed('g'), pressed('x', { isTaken: true }), pressed('h')], []],
]

for (const [what, presses, expected] of table) {
  test(`the keyboard hears ${what}`, (t) => t.deepEqual(heard(presses), expected))
}

test('of two shortcuts with the same keys, the first one counts', (t) => {
  const page = { keys: 'j', does: 'Next event', run: () => {} }
  t.is(hear(nothingBegun, pressed('j'), [page, ...shortcuts]).shortcut, page)
})
