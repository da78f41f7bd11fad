import { createStore } from '../../session/store.ts'

const store = createStore(false)

/** Whether the palette is open. */
export const usePaletteOpen = store.use

export const showPalette = (isOpen: boolean): void => store.set(isOpen)
