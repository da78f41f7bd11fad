import { useEffect, useEffectEvent, useRef, type RefObject } from 'react'
import { hear, nothingBegun, type Press, type Shortcut } from './shortcuts.ts'
import { areShortcutsOn } from './shortcut-setting.ts'

const lists = new Set<RefObject<readonly Shortcut[]>>()

/** The shortcuts of what is shown now, for the list of shortcuts. */
export const shortcutsOfPage = (): Shortcut[] => [...lists].flatMap(({ current }) => current)

/** Gives keys a meaning while the component is shown, unless somebody types. The list of shortcuts (`?`) shows them. */
export function useShortcuts(shortcuts: readonly Shortcut[]): void {
  const list = useRef(shortcuts)
  useEffect(() => {
    list.current = shortcuts
  })
  useEffect(() => {
    lists.add(list)
    return () => void lists.delete(list)
  }, [])
}

/** Listens to the keyboard, once for the whole console. `everywhere` are shortcuts that every page has. */
export function useKeyboard(everywhere: readonly Shortcut[]): void {
  const begun = useRef(nothingBegun)
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    if (!areShortcutsOn()) return
    const heard = hear(begun.current, pressOf(event), [...shortcutsOfPage(), ...everywhere])
    begun.current = heard.begun
    if (!heard.shortcut) return
    event.preventDefault()
    heard.shortcut.run()
  })
  useEffect(() => {
    const listen = (event: KeyboardEvent) => onKey(event)
    document.addEventListener('keydown', listen)
    return () => document.removeEventListener('keydown', listen)
  }, [])
}

/** Gives a letter with Ctrl, or with ⌘ on a Mac, a meaning on every page, also while somebody types, but not in dialogs. */
export function useHeldKey(letter: string, run: () => void): void {
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    const isHeld = (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey
    if (!isHeld || event.key.toLowerCase() !== letter || event.defaultPrevented) return
    event.preventDefault()
    if (document.querySelector('[role=dialog], [role=alertdialog]') === null) run()
  })
  useEffect(() => {
    const listen = (event: KeyboardEvent) => onKey(event)
    document.addEventListener('keydown', listen)
    return () => document.removeEventListener('keydown', listen)
  }, [])
}

/** What uses letters itself: text that is typed, and lists that jump to what begins with a letter. */
const takers =
  'input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable], [role=menu], [role=listbox], [role=dialog], [role=alertdialog]'

const pressOf = (event: KeyboardEvent): Press => ({
  key: event.key,
  isHeld: event.ctrlKey || event.altKey || event.metaKey,
  isTaken:
    event.defaultPrevented ||
    event.isComposing ||
    (event.target instanceof Element && event.target.closest(takers) !== null),
  at: event.timeStamp,
})
