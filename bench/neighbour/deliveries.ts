import { setTimeout as delay } from 'node:timers/promises'

/* Each webhook gets payloads of 1 MiB as fast as they are accepted, and again when it may. */
const targets = JSON.parse(process.argv[2] ?? '[]') as { url: string; secret: string }[]
const payload = JSON.stringify({ text: 'a'.repeat(1024 * 1024 - 100) })

async function deliver({ url, secret }: { url: string; secret: string }): Promise<void> {
  const headers = { 'content-type': 'application/json', 'x-webhook-secret': secret }
  for (;;) {
    const answer = await fetch(url, { method: 'POST', headers, body: payload })
    await answer.arrayBuffer()
    if (answer.status === 429) await delay(Number(answer.headers.get('retry-after')) * 1000)
  }
}

process.once('message', () => {
  for (const target of targets) for (let number = 0; number < 2; number += 1) void deliver(target)
  process.send?.('begun')
})
process.on('disconnect', () => process.exit(0))
process.send?.('ready')
