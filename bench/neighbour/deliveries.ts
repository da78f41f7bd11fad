import { setTimeout as delay } from 'node:timers/promises'

/* Each target gets texts of its size as fast as they are accepted, and again when it may. */
const targets = JSON.parse(process.argv[2] ?? '[]') as { url: string; headers: Record<string, string>; bytes: number }[]
const pauses: Record<number, (answer: Response) => number> = {
  429: (answer) => Number(answer.headers.get('retry-after')) * 1000,
  // The agent is still busy with the one before.
  409: () => 500,
}

async function deliver({ url, headers, bytes }: (typeof targets)[number]): Promise<void> {
  const text = JSON.stringify({ input: 'a'.repeat(bytes - 100) })
  for (;;) {
    const answer = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: text,
    })
    await answer.arrayBuffer()
    await delay(pauses[answer.status]?.(answer) ?? 0)
  }
}

process.once('message', () => {
  for (const target of targets) for (let number = 0; number < 2; number += 1) void deliver(target)
  process.send?.('begun')
})
process.on('disconnect', () => process.exit(0))
process.send?.('ready')
