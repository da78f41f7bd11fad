import { setTimeout as delay } from 'node:timers/promises'
import type { FormField, PlatformClient } from './platform-client.ts'

const samples: Record<string, string | number | boolean> = { number: 1, integer: 1, boolean: true, text: 'a' }

const valueFor = ({ kind, preset, choices: [first] }: FormField): string | number | boolean =>
  preset ?? first?.value ?? samples[kind] ?? 'a'

const pauseMs = 200

/** Makes the call as an agent, because a tool that asks a person needs a run. Whatever it asks is answered. */
export async function callInRun(platform: PlatformClient, entryId: string, name: string, given: unknown) {
  const runId = await platform.startRun(entryId, `[[call ${name} ${JSON.stringify(given)}]] [[then]] [[say Done.]]`)
  for (;;) {
    const { status, endedAt } = await platform.run(runId)
    if (endedAt !== null) return `The run ended as ${status}.`
    for (const { id, form } of await platform.pending()) {
      const values = (form?.fields ?? []).map((one) => [one.name, valueFor(one)])
      await platform.approve(id, Object.fromEntries(values) as Record<string, unknown>)
    }
    await delay(pauseMs)
  }
}
