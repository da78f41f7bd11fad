import { sendRaw } from '../../test/helpers/client.ts'
import { percentile } from '../shared/statistics.ts'

/*
 * Small requests from a process of its own, four a second, which is below a user's limit. Each is sent on time even if
 * earlier ones are unanswered, and counts from the time when it was due.
 */
const [, , url = '', token = ''] = process.argv
const everyMs = 250
let times: number[] = []

async function ask(due: number): Promise<void> {
  const { status } = await sendRaw(`${url}/auth/me`, { headers: { authorization: `Bearer ${token}` } })
  times.push(status === 200 ? performance.now() - due : 60_000)
}

let due = performance.now()
setInterval(() => {
  for (const now = performance.now(); due <= now; due += everyMs) void ask(due)
}, 5)

process.on('message', () => {
  // There are none yet at the start command.
  process.send?.({ p95: times.length > 0 ? percentile(times, 0.95) : 0 })
  times = []
})
process.on('disconnect', () => process.exit(0))
