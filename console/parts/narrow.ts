import { useSyncExternalStore } from 'react'

const narrow = matchMedia('(width < 720px)')

function subscribe(listener: () => void): () => void {
  narrow.addEventListener('change', listener)
  return () => narrow.removeEventListener('change', listener)
}

/** Whether the page is as narrow as on a phone, where the rows of lists have two lines. */
export const useIsNarrow = (): boolean => useSyncExternalStore(subscribe, () => narrow.matches)
