import { agentOf, ended, webhookAgent, deliver } from '../helpers/people.ts'
import { start } from '../helpers/runs.ts'
import { watch, type Received } from '../helpers/watch.ts'
import type { Stage } from './stage.ts'

type Fields = Parameters<typeof agentOf>[1] & { tools?: string[]; askFirst?: string[] }

/** Starts a run of a new agent, by its webhook if there is a payload. `finish` records it, once it is over. */
export async function startRun(stage: Stage, { tools = [], askFirst, ...more }: Fields = {}, payload?: object) {
  const { someone, vaultEntryId, model, note, line } = stage
  const site = { vaultEntryId, tools, ...(askFirst && { askFirst }) }
  const fields = { systemPrompt: 'Do your work.', model, sites: tools.length > 0 ? [site] : [], ...more }
  const runId = payload === undefined ? await byHand() : await byWebhook(payload)
  const watching = await watch(someone, runId)

  async function byHand(): Promise<string> {
    return (await start(someone, await agentOf(someone, fields))).body.id
  }

  async function byWebhook(given: object): Promise<string> {
    return (await deliver(someone, await webhookAgent(someone, fields), given)).body.runId
  }

  return {
    runId,
    finish: async (title: string): Promise<void> => {
      await watching.ended
      note(`the stream of ${title}`, inOrder(watching.events).map(line))
      note('the run afterwards', [line(await ended(someone, runId))])
    },
  }
}

interface TimelineEvent {
  kind: string
  /** The calls of a step, or of a wait their number. */
  data: { callId?: string; calls?: { callId: string }[] | number }
}

/**
 * Calls of one step are made at the same time, so their events come in any order: those between two other events are
 * sorted by call. Therefore events are without their numbers; throws if these have gaps.
 */
function inOrder(received: Received[]): object[] {
  const calls: string[] = []
  const events = received.map(({ id, event, data }, index) => {
    const { number, ...rest } = data as TimelineEvent & { number: number }
    if (number !== index + 1 || id !== String(number)) throw new Error(`event ${index + 1} has the number ${id}`)
    if (Array.isArray(rest.data.calls)) calls.push(...rest.data.calls.map(({ callId }) => callId))
    return { event, ...rest }
  })
  const placeOf = ({ data: { callId = '' } }: TimelineEvent) => calls.indexOf(callId)
  const groups: TimelineEvent[][] = []
  for (const event of events) {
    const group = groups.at(-1)
    const isOfCall = placeOf(event) >= 0
    if (group?.[0] && isOfCall && placeOf(group[0]) >= 0) group.push(event)
    else groups.push([event])
  }
  return groups.flatMap((group) => group.toSorted((one, other) => placeOf(one) - placeOf(other)))
}
