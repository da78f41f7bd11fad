import { createStore } from './store.ts'

/** `ended`: the login ended while somebody worked. The page stays, and a dialog asks to sign in again. */
export const login = createStore<'unknown' | 'open' | 'ended'>('unknown')

const channel = new BroadcastChannel('switchyard-login')

/** Tells the other tabs that somebody signed in or out. */
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel belongs to one origin
export const announceLogin = (userId: string | undefined): void => channel.postMessage(userId ?? null)

/** Calls back when another tab signed in or out. */
export const onLoginElsewhere = (listen: (userId: string | undefined) => void): void => {
  channel.addEventListener('message', ({ data }: MessageEvent<unknown>) =>
    listen(typeof data === 'string' ? data : undefined),
  )
}
