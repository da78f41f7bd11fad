// @promise chat-calls
import test from 'ava'
import * as exported from '../../api/exports.ts'
import { call } from '../helpers/client.ts'
import { eventually } from '../helpers/eventually.ts'
import { sharedWorld } from './clients/world.ts'
import { historyOf, partsOf, send, textOf, type TestSession } from './stage.ts'

/* However somebody leaves, and whenever: history, export, screen and the next prompt have the calls that were made. */

const effects = ['read', 'idempotent', 'once'] as const
const words = 'I do it now.'
const done = { state: 'output-available', prompt: /The call succeeded/ }
const broken = { state: 'output-error', prompt: /The call failed/ }
const doubtful = { state: 'output-error', prompt: /It is unknown whether this call took effect/ }

/** When somebody leaves: how long the call takes, and what is known of it then, by its effect. */
const moments = {
  'before the call': undefined,
  'in a call that soon ends': { seconds: 1, outcome: { read: done, idempotent: done, once: done } },
  'in a call that takes long': { seconds: 30, outcome: { read: broken, idempotent: doubtful, once: doubtful } },
  'after the call': { seconds: 0, outcome: { read: done, idempotent: done, once: done } },
}

const ways = ['disconnect', 'stop'] as const
/** The effect decides only what is known of a call that is cut off. */
const rows = ways.flatMap((way) =>
  Object.entries(moments).flatMap(([moment, made]) =>
    (made?.seconds === 30 ? effects : (['once'] as const)).map((effect) => ({ way, moment, made, effect })),
  ),
)

const world = sharedWorld(test)

const stop = ({ url, token }: TestSession) =>
  fetch(`${url}/chat/messages/the-chat/stream`, { method: 'DELETE', headers: { 'x-session-token': token } })

interface Part {
  type: string
  state?: string
}

for (const { way, moment, made, effect } of rows) {
  test(`after a ${way} ${moment} (${effect}), all views have what was done`, async (t) => {
    const { talker, talking, toolSession, sites } = await world()
    const [model, tool] = [talking(), `slow_${effect}`]
    const { owner, session } = await toolSession({ tools: [tool], askFirst: [] }, { model })
    const leaving = new AbortController()
    const sent = send(session, { text: 'Do it.', stream: true }, { signal: leaving.signal })
    const reading = sent.then((response) => partsOf(t, response)).catch(() => undefined)
    const speaking = await talker.call(model)
    speaking.say(words)
    if (made) {
      speaking.use(tool, { seconds: made.seconds })
      await eventually(20, 'the call is at its site', async () => {
        const asked = (await historyOf(session)).items[1]?.parts.find(({ type }) => type === 'dynamic-tool')
        const key = `chat:${(asked as { toolCallId?: string } | undefined)?.toolCallId}`
        return sites.badTools.requests().some(({ idempotencyKey }) => idempotencyKey === key) || undefined
      })
      if (made.seconds === 0) await talker.call(model, 2)
    } else {
      await eventually(20, 'the answer is under way', async () => (await historyOf(session)).items[1] && true)
    }
    if (way === 'stop') t.is((await stop(session)).status, 204)
    else leaving.abort()
    const answer = await eventually(15, 'the answer is over', async () => {
      const [, found] = (await historyOf(session)).items
      return found?.status === 'running' ? undefined : found
    })
    t.is(answer.status, way === 'stop' ? 'stopped' : 'failed')
    const outcome = made?.outcome[effect]
    const calls = answer.parts.filter(({ type }) => type === 'dynamic-tool')
    t.deepEqual(
      calls.map(({ state }) => state),
      outcome ? [outcome.state] : [],
    )
    t.is(JSON.stringify(answer.parts).includes(words), way === 'stop')

    const seen = await reading
    const told = seen?.filter(({ type }) => type.startsWith('tool-output'))
    if (way === 'stop')
      t.deepEqual(
        told?.map(({ type }) => type) ?? [],
        calls.map(({ state }) => `tool-${state}`),
      )
    else t.is(seen, undefined)

    const whole = (await call(owner, exported.exportAccount)).body as unknown as { sessions: { messages: object[] }[] }
    t.deepEqual(whole.sessions[0]?.messages, (await historyOf(session, '?branch=all')).items as object[])

    const next = send(session, { text: 'And now?', stream: true })
    const asking = await talker.call(model, made?.seconds === 0 ? 3 : 2)
    asking.say('Now it is over.')
    asking.finish()
    t.is(textOf(await partsOf(t, await next)), 'Now it is over.')
    if (outcome) t.regex(asking.asked, outcome.prompt)
    else t.false(asking.asked.includes('The call'))
    t.is(asking.asked.includes(words), way === 'stop')
    const parts: Part[] = answer.parts
    t.is(parts.length > 0, outcome !== undefined || way === 'stop')
  })
}
