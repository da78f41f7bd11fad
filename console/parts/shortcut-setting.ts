import { createStore } from '../session/store.ts'

const key = 'switchyard-shortcuts'

const store = createStore<'on' | 'off'>(localStorage.getItem(key) === 'off' ? 'off' : 'on')

/** Whether single keys do something. People who dictate, and whose words would be read as keys, can switch it off. */
export const useShortcutSetting = store.use

export const areShortcutsOn = (): boolean => store.get() === 'on'

export function switchShortcuts(on: boolean): void {
  localStorage.setItem(key, on ? 'on' : 'off')
  store.set(on ? 'on' : 'off')
}

const list = createStore(false)

/** Whether the list of shortcuts is open. */
export const useShortcutList = list.use

export const showShortcutList = (isOpen: boolean): void => list.set(isOpen)
