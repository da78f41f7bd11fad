import { createStore } from '../session/store.ts'

/** What happened, in a sentence. A problem stays until somebody closes it. */
export interface Notice {
  id: number
  kind: 'done' | 'problem'
  text: string
}

const store = createStore<readonly Notice[]>([])
let last = 0

const shownMs = 6000

export const useNotices = store.use

export function notify(kind: Notice['kind'], text: string): void {
  last += 1
  const id = last
  // The newest three, so that a series of refusals does not cover the page.
  store.set([...store.get(), { id, kind, text }].slice(-3))
  if (kind === 'done') setTimeout(() => closeNotice(id), shownMs)
}

export const closeNotice = (id: number): void => store.set(store.get().filter((notice) => notice.id !== id))
