import { setTimeout as delay } from 'node:timers/promises'
import { payload, targetsOf } from '../accept/targets.ts'
import type { Send } from '../accept/send.ts'
import { apiProgram } from '../shared/programs.ts'
import type { BenchStores } from '../shared/servers.ts'
import { watchMemory } from './resident.ts'
import { memoryRow } from './row.ts'

interface Options {
  send: Send
  connections: number
  minutes: number
  idleSeconds: number
}

/** The memory of an API process: idle, and in each minute of a load of deliveries. */
export async function apiRows(stores: BenchStores, options: Options): Promise<{ rows: string[][]; accepted: number }> {
  const api = apiProgram(stores.env)
  await api.start()
  const pid = Number(api.pid())
  try {
    const idle = await watchMemory(pid, () => delay(options.idleSeconds * 1000))
    const { targets } = await targetsOf(stores, 50, payload)
    let accepted = 0
    const busy = await watchMemory(pid, async () => {
      const load = await options.send(stores.url, targets, options.connections, options.minutes * 60)
      accepted = load.accepted
    })
    const whole = busy.minutes.slice(0, options.minutes)
    const rows = whole.map((resident, index) =>
      memoryRow('API', `${options.connections} connections, minute ${index + 1}`, resident, busy.peak),
    )
    return { rows: [memoryRow('API', 'idle', idle.minutes[0] ?? Number.NaN, idle.peak), ...rows], accepted }
  } finally {
    await api.stop()
  }
}
