import { sendRaw } from '../../test/helpers/client.ts'

/*
 * Another user of the same API process, in a process of its own. It sends a small request every 20 ms, even if earlier
 * ones are unanswered, and counts from the time when each was due. It sends the same requests to an idle server, which
 * shows this machine's own delay.
 */
const [, , url = '', token = '', idleUrl = ''] = process.argv
const everyMs = 20
let waits: number[] = []
let idleWaits: number[] = []
let failures = 0

async function ask(due: number): Promise<void> {
  try {
    const { status } = await sendRaw(`${url}/auth/me`, { headers: { authorization: `Bearer ${token}` } })
    if (status !== 200) failures += 1
  } catch {
    failures += 1
  }
  waits.push(performance.now() - due)
}

async function askIdle(due: number): Promise<void> {
  await sendRaw(idleUrl, {})
  idleWaits.push(performance.now() - due)
}

/** The timer itself may be late, so this process's own delay counts, too. */
let due = performance.now()
setInterval(() => {
  for (const now = performance.now(); due <= now; due += everyMs) {
    void ask(due)
    void askIdle(due)
  }
}, 5)

process.on('message', () => {
  process.send?.({ count: waits.length, worst: Math.max(0, ...waits), idle: Math.max(0, ...idleWaits), failures })
  waits = []
  idleWaits = []
  failures = 0
})
process.on('disconnect', () => process.exit(0))
