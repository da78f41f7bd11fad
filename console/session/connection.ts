import { createStore } from './store.ts'

/** Whether the API answers. */
export const connection = createStore<'here' | 'away'>('here')

const againMs = 2000

// Without a network, queries wait instead of failing, so nothing else would say so.
if ('window' in globalThis) addEventListener('offline', noteAway)

/** Notes that the API did not answer, and asks until it does. */
export function noteAway(): void {
  if (connection.get() === 'away') return
  connection.set('away')
  void askUntilHere()
}

async function askUntilHere(): Promise<void> {
  while (connection.get() === 'away') {
    await new Promise((resolve) => setTimeout(resolve, againMs))
    const answer = await fetch('/readyz').catch(() => undefined)
    if (answer?.ok) connection.set('here')
  }
}
