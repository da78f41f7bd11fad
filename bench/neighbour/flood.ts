import { setTimeout as delay } from 'node:timers/promises'

/*
 * Sends requests to each target over some connections, as fast as it answers and as soon as it allows. `bytes` is the
 * size of each body.
 */
interface Target {
  url: string
  headers: Record<string, string>
  connections: number
  bytes?: number
}

const targets = JSON.parse(process.argv[2] ?? '[]') as Target[]
const pauses: Record<number, (answer: Response) => number> = {
  429: (answer) => Number(answer.headers.get('retry-after')) * 1000,
  // The agent is still busy with the previous run.
  409: () => 500,
}

async function flood({ url, headers, bytes }: Target): Promise<void> {
  const text = bytes === undefined ? undefined : JSON.stringify({ input: 'a'.repeat(bytes - 100) })
  const post = { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body: text ?? '' }
  for (;;) {
    const answer = await fetch(url, text === undefined ? { headers } : post)
    await answer.arrayBuffer()
    await delay(pauses[answer.status]?.(answer) ?? 0)
  }
}

process.once('message', () => {
  for (const target of targets) for (let number = 0; number < target.connections; number += 1) void flood(target)
  process.send?.('begun')
})
process.on('disconnect', () => process.exit(0))
process.send?.('ready')
