import { setTimeout as delay } from 'node:timers/promises'

/** What a load balancer does: sends each request to the next API process, and knows how many are under way at each. */
export function createBalancer() {
  const processes = new Map<string, { underWay: number }>()
  let turn = 0

  async function sendTo(url: string, path: string, init: RequestInit): Promise<Response> {
    const known = processes.get(url)
    if (known) known.underWay += 1
    try {
      return await fetch(`${url}${path}`, init)
    } finally {
      if (known) known.underWay -= 1
    }
  }

  /** A refused connection has sent nothing, so the next process gets the request. Other failures are the client's. */
  async function send(path: string, init: RequestInit = {}): Promise<Response> {
    const urls = [...processes.keys()]
    for (let tries = 0; tries < urls.length; tries += 1) {
      const url = urls[(turn += 1) % urls.length] ?? ''
      try {
        return await sendTo(url, path, init)
      } catch (error) {
        if (!isRefused(error)) throw error
        processes.delete(url)
      }
    }
    throw new Error('no API process accepts connections')
  }

  return {
    send,
    add: (url: string): void => void processes.set(url, { underWay: 0 }),
    /** Sends it nothing more. Resolves when it has answered everything but streams. */
    async remove(url: string): Promise<void> {
      const known = processes.get(url)
      processes.delete(url)
      const isBusy = () => known !== undefined && known.underWay > 0
      while (isBusy()) await delay(20)
    },
  }
}

export type Balancer = ReturnType<typeof createBalancer>

const isRefused = (error: unknown): boolean =>
  ((error as { cause?: { code?: unknown } }).cause?.code ?? '') === 'ECONNREFUSED'
