/* Opens as many streams per token as the platform allows, and keeps them open. */
const targets = JSON.parse(process.argv[2] ?? '[]') as { url: string; token: string; count: number }[]

async function open({ url, token }: { url: string; token: string }): Promise<number> {
  const headers = { authorization: `Bearer ${token}`, accept: 'text/event-stream' }
  const { status, body } = await fetch(url, { headers })
  void body?.pipeTo(new WritableStream()).catch(() => undefined)
  return status
}

process.once('message', () => {
  const opening = targets.flatMap((target) => Array.from({ length: target.count }, () => open(target)))
  void Promise.all(opening).then(() => process.send?.('begun'))
})
process.on('disconnect', () => process.exit(0))
process.send?.('ready')
