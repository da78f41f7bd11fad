import { setTimeout as delay } from 'node:timers/promises'

/* Each key asks as fast as it is answered until it is refused, and again when it may. */
const targets = JSON.parse(process.argv[2] ?? '[]') as { url: string; token: string }[]
const connections = 3

async function flood({ url, token }: { url: string; token: string }): Promise<void> {
  for (;;) {
    const answer = await fetch(`${url}/auth/me`, { headers: { authorization: `Bearer ${token}` } })
    await answer.arrayBuffer()
    if (answer.status === 429) await delay(Number(answer.headers.get('retry-after')) * 1000)
  }
}

process.once('message', () => {
  for (const target of targets) for (let number = 0; number < connections; number += 1) void flood(target)
  process.send?.('begun')
})
process.on('disconnect', () => process.exit(0))
process.send?.('ready')
